/**
 * Remembers what interpreters said, so that a start need not run Python to know that ipykernel is there. An entry holds
 * as long as the program, the environment's pyvenv.cfg and every directory on its module path are as they were:
 * installing a package touches one of these.
 *
 * Only a speed-up: a cache that is corrupt or cannot be written changes nothing but the time.
 */

import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../protocol/error.ts";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import { type Answer, type InterpreterFacts, readAnswer } from "./facts.ts";

/** Raised when entries of an older program would be misread. */
const FORMAT = 1;
const MAX_ENTRIES = 32;

type Variables = Readonly<Record<string, string>>;

export class ProbeCache {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  find(path: string, env: Variables): InterpreterFacts | undefined {
    const entry = this.#entries()[path];
    if (!isRecord(entry)) return undefined;
    const answer = readAnswer(path, entry["answer"]);
    if (answer === undefined || entry["stamp"] !== stamp(path, env)) return undefined;
    const current = Object.entries(answer.watched).every(([directory, then]) => modified(directory) === then);
    return current ? answer.facts : undefined;
  }

  /** `stampBefore` is of the time before the question: what changed while it was answered makes the entry old. */
  remember(path: string, stampBefore: string | undefined, answer: Answer): void {
    if (stampBefore === undefined || !isItself(path, answer.executable)) return;
    const { facts, executable, watched } = answer;
    const others = Object.entries(this.#entries()).filter(([name]) => name !== path);
    const entries = [...others, [path, { stamp: stampBefore, answer: { ...facts, executable, watched } }]];
    this.#write(
      `${JSON.stringify({ format: FORMAT, entries: Object.fromEntries(entries.slice(-MAX_ENTRIES)) })}\n`,
    );
  }

  #entries(): Record<string, unknown> {
    // Not there yet, or not what we wrote: the next answer replaces it.
    const content = asRecord(parseJson(attempt(() => readFileSync(this.#file, "utf8")) ?? ""));
    return content["format"] === FORMAT ? asRecord(content["entries"]) : {};
  }

  /** Aside, then renamed: another omp that reads meanwhile sees the old file or the new one, never a half. */
  #write(text: string): void {
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, text, { mode: 0o600 });
      chmodSync(aside, 0o600);
      renameSync(aside, this.#file);
    } catch {
      // A full or read-only disk: the next start asks Python again.
      attempt(() => rmSync(aside, { force: true }));
    }
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

function modified(path: string): string | null {
  return attempt(() => String(statSync(path, { bigint: true }).mtimeNs)) ?? null;
}

/** A pyenv shim or wrapper picks another Python tomorrow without any change to itself, so nothing is remembered of it. */
function isItself(path: string, executable: string): boolean {
  return attempt(() => realpathSync(path) === realpathSync(executable)) ?? false;
}
