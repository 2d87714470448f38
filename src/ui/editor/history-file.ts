/**
 * The history on disk: one JSON object a line, appended, so that concurrent sessions do not overwrite each other. Read on first
 * use, and only its end; rewritten when it has grown to twice its limit. The only file of the editor that touches the disk.
 */

import { appendFile, chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../protocol/error.ts";
import { asRecord, parseJson } from "../../protocol/record.ts";
import { withEntry } from "./history.ts";

export interface HistoryFileOptions {
  readonly path: string;
  readonly maxEntries?: number;
  /** Longer inputs (a pasted log) are used once and not kept. */
  readonly maxEntryCharacters?: number;
}

const MAX_BYTES_READ = 4_000_000;

export class HistoryFile {
  readonly #path: string;
  readonly #maxEntries: number;
  readonly #maxEntryCharacters: number;
  #entries: Promise<string[]> | undefined;
  #writes: Promise<void> = Promise.resolve();
  /** A session that was killed while writing left a line without an end: the next entry starts a new line. */
  #endsTorn = false;

  constructor({ path, maxEntries = 1_000, maxEntryCharacters = 20_000 }: HistoryFileOptions) {
    this.#path = path;
    this.#maxEntries = maxEntries;
    this.#maxEntryCharacters = maxEntryCharacters;
  }

  /** Oldest first. An unreadable file is an empty history. */
  entries(): Promise<readonly string[]> {
    this.#entries ??= this.#load();
    return this.#entries;
  }

  /** Adds an input at once; resolves when it is on disk, with the problem if it could not be written. */
  async add(text: string): Promise<string | undefined> {
    if (text.trim() === "" || text.length > this.#maxEntryCharacters) return undefined;
    const before = this.entries();
    this.#entries = before.then((entries) => withEntry(entries, text, this.#maxEntries));
    const write = this.#writes.then(async () => {
      await before;
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      const line = `${JSON.stringify({ text, at: new Date().toISOString() })}\n`;
      await appendFile(this.#path, this.#endsTorn ? `\n${line}` : line, { mode: 0o600 });
      this.#endsTorn = false;
    });
    // The next write does not depend on this one, whose failure its own caller gets.
    this.#writes = write.then(undefined, () => undefined);
    try {
      await write;
      return undefined;
    } catch (error) {
      return `Input history was not saved: ${systemCode(error) ?? String(error)}`;
    }
  }

  async #load(): Promise<string[]> {
    const { lines, isCut } = await this.#readEnd();
    const entries: string[] = [];
    const seen = new Set<string>();
    // From the newest, so that the newest of repeated inputs is kept.
    for (const line of lines.reverse()) {
      const text = textOf(line);
      if (text === undefined || seen.has(text)) continue;
      seen.add(text);
      entries.push(text);
      if (entries.length === this.#maxEntries) break;
    }
    entries.reverse();
    if (isCut || lines.length > 2 * this.#maxEntries) await this.#rewrite(entries);
    return entries;
  }

  async #readEnd(): Promise<{ lines: string[]; isCut: boolean }> {
    try {
      await using handle = await open(this.#path, "r");
      const { size } = await handle.stat();
      const start = Math.max(0, size - MAX_BYTES_READ);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      this.#endsTorn = bytesRead > 0 && buffer[bytesRead - 1] !== 0x0a;
      const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
      return { lines: lines.filter((line) => line !== ""), isCut: start > 0 };
    } catch (error) {
      // No file yet, or an unreadable one: there is no history either way.
      if (systemCode(error) === undefined) throw error;
      return { lines: [], isCut: false };
    }
  }

  async #rewrite(entries: readonly string[]): Promise<void> {
    const temporary = `${this.#path}.${process.pid}.tmp`;
    this.#endsTorn = false;
    const content = entries.map((text) => `${JSON.stringify({ text })}\n`).join("");
    try {
      await writeFile(temporary, content, { mode: 0o600 });
      await chmod(temporary, 0o600);
      await rename(temporary, this.#path);
    } catch (error) {
      // A history file that stays long is no reason to fail.
      if (systemCode(error) === undefined) throw error;
      await rm(temporary, { force: true });
    }
  }
}

/** Undefined for a torn or foreign line. */
function textOf(line: string): string | undefined {
  const { text } = asRecord(parseJson(line));
  return typeof text === "string" ? text : undefined;
}
