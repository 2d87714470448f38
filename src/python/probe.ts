/**
 * Asks an interpreter what it is: one short process, remembered on disk (probe-cache.ts). Whatever is wrong with the
 * program becomes `problem`, a clause that fits behind its path; nothing here throws for it.
 */

import { parse } from "node:path";
import { formatLimit } from "../format/durations.ts";
import { runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import { type InterpreterFacts, readAnswer } from "./facts.ts";
import script from "./probe.py" with { type: "text" };
import { ProbeCache, stamp } from "./probe-cache.ts";

export interface ProbeOptions {
  /** The environment that its kernels will get: module paths depend on it. */
  readonly env: Record<string, string>;
  /** A slow disk can take seconds for a first start; a working Python needs a tenth of one. */
  readonly timeoutMs?: number | undefined;
  readonly cacheFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 10_000;
/** The answer has a few kilobytes; a program that floods its output is not Python. */
const maxOutputBytes = 1_000_000;

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
  { env, timeoutMs = defaultTimeoutMs, signal = new AbortController().signal }: ProbeOptions,
): Promise<{ json: unknown } | { problem: string }> {
  // Random, so that nothing that a start-up hook prints can be taken for the answer.
  const marker = `omp-probe-${crypto.randomUUID()}:`;
  const stdout = new Collected();
  const stderr = new Collected();
  try {
    const outcome = await runFresh({
      argv: [path, "-c", script, marker],
      // The user's directory is not asked about, and may be gone.
      cwd: parse(path).root,
      env,
      timeoutMs,
      signal,
      onStdout: (chunk) => stdout.add(chunk),
      onStderr: (chunk) => stderr.add(chunk),
    });
    // An answer counts also when the program then failed: an exit hook of somebody's may have.
    const line = stdout.lineAfter(marker);
    const json = line === undefined ? undefined : parseJson(line);
    if (json !== undefined) return { json };
    if (outcome.cancelled) return { problem: "was not asked to the end" };
    if (outcome.timedOut) return { problem: `did not answer within ${formatLimit(timeoutMs)}` };
    const said = stderr.lastLine();
    const because = said === undefined ? "" : `: ${said}`;
    if (outcome.signal !== null) return { problem: `crashed with ${outcome.signal}${because}` };
    if (outcome.exitCode !== 0) return { problem: `failed with exit code ${outcome.exitCode}${because}` };
    return { problem: "does not answer as a Python interpreter does" };
  } catch (error) {
    if (error instanceof ProcessError) return { problem: `cannot be started (${error.code})` };
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut short by a kill: the outcome says more
  }
}

class Collected {
  #text = "";
  readonly #decoder = new TextDecoder();

  /** The tail is kept: the answer and the error that matters come last. */
  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk, { stream: true })).slice(-maxOutputBytes);
  }

  lineAfter(marker: string): string | undefined {
    const at = this.#text.lastIndexOf(marker);
    return at < 0 ? undefined : this.#text.slice(at + marker.length).split("\n", 1)[0];
  }

  lastLine(): string | undefined {
    const line = Bun.stripANSI(this.#text)
      .trim()
      .split(/[\r\n]+/)
      .at(-1);
    return line === undefined || line === "" ? undefined : line.slice(0, 200);
  }
}
