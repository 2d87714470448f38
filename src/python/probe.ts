/**
 * Asks an interpreter what it is: one short process, remembered on disk (probe-cache.ts). Whatever is wrong with the
 * program becomes `problem`, a clause that follows its path; nothing here throws for it.
 */

import { parse } from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { parseJson } from "../protocol/record.ts";
import { type InterpreterFacts, readAnswer } from "./facts.ts";
import script from "./probe.py" with { type: "text" };
import { ProbeCache, stamp } from "./probe-cache.ts";
import { lastLine, runCommand } from "./run-command.ts";

export interface ProbeOptions {
  /** The environment that its kernels will get: module paths depend on it. */
  readonly env: Record<string, string>;
  /** A slow disk can take seconds for a first start; a working Python needs a tenth of one. */
  readonly timeoutMs?: number | undefined;
  readonly cacheFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The sandbox that it runs in: an interpreter in the project may have been changed there. */
  readonly confinement?: Confinement | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

export async function probeInterpreter(path: string, options: ProbeOptions): Promise<InterpreterFacts> {
  const cache = options.cacheFile === undefined ? undefined : new ProbeCache(options.cacheFile);
  const known = cache?.find(path, options.env);
  if (known !== undefined) return known;

  const before = stamp(path, options.env);
  const reply = await ask(path, options);
  if ("problem" in reply) return withProblem(path, reply.problem);
  const answer = readAnswer(path, reply.json);
  if (answer === undefined) return withProblem(path, "gave an answer that makes no sense");
  cache?.remember(path, before, answer);
  return answer.facts;
}

function withProblem(path: string, problem: string): InterpreterFacts {
  const nothing = { version: undefined, implementation: undefined, prefix: undefined, packages: {} };
  return { path, ...nothing, installer: "none", problem };
}

async function ask(
  path: string,
  { env, timeoutMs = DEFAULT_TIMEOUT_MS, signal = new AbortController().signal, confinement }: ProbeOptions,
): Promise<{ json: unknown } | { problem: string }> {
  // Random, so that nothing that a start-up hook prints can be taken for the answer.
  const marker = `omp-probe-${crypto.randomUUID()}:`;
  const { outcome, stdout, stderr, problem } = await runCommand({
    argv: [path, "-c", script, marker],
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
  if (problem === undefined) return { problem: "does not answer as a Python interpreter does" };
  const line = outcome?.timedOut || outcome?.cancelled ? undefined : lastLine(stderr);
  return { problem: line === undefined ? problem : `${problem}: ${line}` };
}
