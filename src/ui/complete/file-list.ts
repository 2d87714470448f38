/**
 * The paths that `@` completes, as a source delivers them (ripgrep's `--files`, which respects .gitignore). Starts at the first use, can
 * be searched while it fills, is read again when it is old, and is bounded.
 */

import { untilAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { FileSearch, type FileSearchOptions, type FileSearchResult } from "./file-search.ts";
import { PathTable } from "./path-table.ts";

export interface FileListOptions {
  /** Relative paths with forward slashes. Called once a reading. */
  readonly source: (signal: AbortSignal) => AsyncIterable<string>;
  readonly maxPaths?: number;
  /** A list older than this is read again in the background at the next use. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

export type FileListState =
  | { readonly kind: "idle" }
  | { readonly kind: "reading"; readonly count: number }
  | { readonly kind: "ready"; readonly count: number; readonly isCut: boolean }
  | { readonly kind: "failed"; readonly count: number; readonly problem: string };

interface Reading {
  readonly table: PathTable;
  readonly search: FileSearch;
  readonly done: Promise<void>;
}

const PATHS_BETWEEN_PAUSES = 2_000;
/** How long a search waits before it searches what has been read since. */
const MORE_MS = 50;

export class FileList {
  readonly #source: FileListOptions["source"];
  readonly #maxPaths: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  #state: FileListState = { kind: "idle" };
  /** The list that is searched: the old one until a new reading is complete. */
  #current: Reading | undefined;
  #next: Reading | undefined;
  #readAt = 0;

  constructor({ source, maxPaths = 500_000, maxAgeMs = 10_000, now = Date.now }: FileListOptions) {
    this.#source = source;
    this.#maxPaths = maxPaths;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  get state(): FileListState {
    return this.#state;
  }

  /** Starts to read, or to read again; returns at once. Call it when an `@` is typed. */
  warmUp(): void {
    const isOld = this.#now() - this.#readAt > this.#maxAgeMs;
    if (this.#next !== undefined || (this.#current !== undefined && !isOld)) return;
    const reading = this.#startReading();
    this.#next = reading;
    // The first list is searched while it fills; a later one takes over when it is complete.
    this.#current ??= reading;
  }

  /** The paths so far are searched at once; more results follow while more paths arrive. */
  async *search(
    query: string,
    options: FileSearchOptions = {},
  ): AsyncGenerator<FileSearchResult, void, undefined> {
    this.warmUp();
    for (;;) {
      const reading = this.#current;
      if (reading === undefined) return;
      const isReading = this.#next === reading;
      for await (const result of reading.search.search(query, options)) {
        yield { ...result, isComplete: result.isComplete && !isReading };
      }
      if (!isReading || isAborted(options.signal)) return;
      await within(untilAborted(reading.done, options.signal), MORE_MS);
      if (isAborted(options.signal)) return;
    }
  }

  /** Resolves when the current reading has ended. */
  async settled(): Promise<void> {
    await this.#next?.done;
  }

  close(): void {
    this.#abort.abort();
  }

  #startReading(): Reading {
    const table = new PathTable();
    const done = this.#read(table).finally(() => {
      if (this.#next?.table !== table) return;
      this.#current = this.#next;
      this.#next = undefined;
      this.#readAt = this.#now();
    });
    return { table, search: new FileSearch(table), done };
  }

  async #read(table: PathTable): Promise<void> {
    const directories = new Set<string>();
    this.#state = { kind: "reading", count: 0 };
    let isCut = false;
    try {
      for await (const path of this.#source(this.#abort.signal)) {
        addDirectories(table, directories, path);
        table.add(path);
        this.#state = { kind: "reading", count: table.length };
        if (table.length >= this.#maxPaths) {
          isCut = true;
          break;
        }
        // A source that never waits must not block the thread until its end.
        if (table.length % PATHS_BETWEEN_PAUSES === 0) await pause();
      }
      this.#state = { kind: "ready", count: table.length, isCut };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#state = { kind: "failed", count: table.length, problem };
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Directories can be mentioned too; a list of files names them only inside its paths. */
function addDirectories(table: PathTable, known: Set<string>, path: string): void {
  const fresh: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const directory = path.slice(0, end + 1);
    if (known.has(directory)) break;
    known.add(directory);
    fresh.push(directory);
  }
  for (const directory of fresh.reverse()) table.add(directory);
}
