/** Runs a script of ours in an interpreter and reads its answer: one line of JSON after a marker, whatever else is printed. */

import { parse } from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { parseJson } from "../protocol/record.ts";
import { lastLine, runCommand } from "./run-command.ts";

export interface AskOptions {
  readonly env: Record<string, string>;
  /** A slow disk can take seconds for a first start; a working Python needs a tenth of one. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The sandbox that it runs in: an interpreter in the project may have been changed there. */
  readonly confinement?: Confinement | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** @param script gets the marker as its first argument, then `rest`. @returns the JSON, or what went wrong in a clause that follows the path. */
export async function askPython(
  path: string,
  { script, rest = [] }: { readonly script: string; readonly rest?: readonly string[] },
  { env, timeoutMs = DEFAULT_TIMEOUT_MS, signal = new AbortController().signal, confinement }: AskOptions,
): Promise<{ json: unknown } | { problem: string }> {
  // Random, so that nothing that a start-up hook prints can be taken for the answer.
  const marker = `omp-probe-${crypto.randomUUID()}:`;
  const { outcome, stdout, stderr, problem } = await runCommand({
    argv: [path, "-c", script, marker, ...rest],
    // The user's directory does not matter here, and may be gone.
    cwd: parse(path).root,
    env,
    timeoutMs,
    signal,
    confinement,
  });
  // An answer counts also when the program failed afterwards, as in an exit hook.
  const at = stdout.lastIndexOf(marker);
  // Not JSON when it was cut short by a kill: the outcome says more.
  const json = at < 0 ? undefined : parseJson(stdout.slice(at + marker.length).split("\n", 1)[0] ?? "");
  if (json !== undefined) return { json };
  if (problem === undefined) return { problem: "does not behave like a Python interpreter" };
  const line = outcome?.timedOut || outcome?.cancelled ? undefined : lastLine(stderr);
  return { problem: line === undefined ? problem : `${problem}: ${line}` };
}
