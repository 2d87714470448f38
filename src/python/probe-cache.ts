/**
 * Remembers what interpreters said, so that a start need not run Python to know that ipykernel is there. An entry holds
 * as long as the program, the environment's pyvenv.cfg and every directory on its module path are as they were:
 * installing a package touches one of these.
 */

import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../protocol/error.ts";
import { type Answer, type InterpreterFacts, readAnswer } from "./facts.ts";
import { isCurrent, modified, StampedCache } from "./stamped-cache.ts";

type Variables = Readonly<Record<string, string>>;

export class ProbeCache {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  find(path: string, env: Variables): InterpreterFacts | undefined {
    const answer = this.#answers(path).find(path, stamp(path, env));
    return answer !== undefined && isCurrent(answer.watched) ? answer.facts : undefined;
  }

  /** `stampBefore` is of the time before the question: what changed while it was answered makes the entry old. */
  remember(path: string, stampBefore: string | undefined, answer: Answer): void {
    if (stampBefore === undefined || !isItself(path, answer.executable)) return;
    const { facts, executable, watched } = answer;
    this.#answers(path).remember(path, stampBefore, {
      ...facts,
      tag: facts.tag ?? null,
      executable,
      watched,
    });
  }

  #answers(path: string): StampedCache<Answer> {
    return new StampedCache(this.#file, (json) => readAnswer(path, json));
  }
}

/** What can be known of an interpreter without asking it; undefined when the program is gone. */
export function stamp(path: string, env: Variables): string | undefined {
  const program = attempt(() => realpathSync(path));
  const size = program && attempt(() => statSync(program).size);
  if (program === undefined || size === undefined) return undefined;
  // Each of these moves the module path, so that the same program answers differently.
  const variables = ["PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "HOME"];
  return JSON.stringify([
    ...[program, size, modified(program), modified(join(dirname(dirname(path)), "pyvenv.cfg"))],
    ...variables.map((name) => env[name] ?? null),
  ]);
}

/** A pyenv shim or wrapper picks another Python tomorrow without any change to itself, so nothing is remembered of it. */
function isItself(path: string, executable: string): boolean {
  return attempt(() => realpathSync(path) === realpathSync(executable)) ?? false;
}
