/**
 * Asks an interpreter what it is: one short process, remembered on disk (probe-cache.ts). Whatever is wrong with the
 * program becomes `problem`, a clause that follows its path; nothing here throws for it.
 */

import { type AskOptions, askPython } from "./ask-python.ts";
import { type InterpreterFacts, readAnswer } from "./facts.ts";
import script from "./probe.py" with { type: "text" };
import { ProbeCache, stamp } from "./probe-cache.ts";

/** `env` is the environment that its kernels will get: module paths depend on it. */
export interface ProbeOptions extends AskOptions {
  readonly cacheFile?: string | undefined;
}

export async function probeInterpreter(path: string, options: ProbeOptions): Promise<InterpreterFacts> {
  const cache = options.cacheFile === undefined ? undefined : new ProbeCache(options.cacheFile);
  const known = cache?.find(path, options.env);
  if (known !== undefined) return known;

  const before = stamp(path, options.env);
  const reply = await askPython(path, { script }, options);
  if ("problem" in reply) return withProblem(path, reply.problem);
  const answer = readAnswer(path, reply.json);
  if (answer === undefined) return withProblem(path, "gave an unexpected answer");
  cache?.remember(path, before, answer);
  return answer.facts;
}

function withProblem(path: string, problem: string): InterpreterFacts {
  const nothing = { version: undefined, implementation: undefined, prefix: undefined, packages: {} };
  return { path, ...nothing, installer: "none", tag: undefined, paths: [], problem };
}
