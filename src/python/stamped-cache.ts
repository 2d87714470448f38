/**
 * Answers on disk, each with a stamp of what it depends on. Only a speed-up: a cache that is corrupt or cannot be written changes
 * nothing but the time.
 */

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../protocol/error.ts";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";

/** Raised when entries of an older program would be misread. */
const FORMAT = 2;
const MAX_ENTRIES = 32;

export class StampedCache<T> {
  readonly #file: string;
  readonly #read: (json: unknown) => T | undefined;

  /** @param read an answer as it was before, from its JSON; undefined when it is none, or not true any more. */
  constructor(file: string, read: (json: unknown) => T | undefined) {
    this.#file = file;
    this.#read = read;
  }

  find(key: string, stamp: string | undefined): T | undefined {
    const entry = this.#entries()[key];
    return isRecord(entry) && entry["stamp"] === stamp ? this.#read(entry["answer"]) : undefined;
  }

  /** @param stamp of the time before the question: what changed while it was answered makes the entry old. */
  remember(key: string, stamp: string, answer: unknown): void {
    const others = Object.entries(this.#entries()).filter(([name]) => name !== key);
    const entries = Object.fromEntries([...others, [key, { stamp, answer }] as const].slice(-MAX_ENTRIES));
    this.#write(`${JSON.stringify({ format: FORMAT, entries })}\n`);
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
      // A full or read-only disk: the next start asks again.
      attempt(() => rmSync(aside, { force: true }));
    }
  }
}

/** When a file or directory was last changed; null when there is none. */
export function modified(path: string): string | null {
  return attempt(() => String(statSync(path, { bigint: true }).mtimeNs)) ?? null;
}

/** Whether nothing of what an answer was made from has changed. */
export function isCurrent(watched: Readonly<Record<string, string | null>>): boolean {
  return Object.entries(watched).every(([path, then]) => modified(path) === then);
}
