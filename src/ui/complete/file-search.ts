/**
 * Searches the paths of a project while someone types. A search works in slices of a few milliseconds and yields the thread between
 * them, so that no key waits; a query that continues the last one looks only at what matched that one.
 */

import { fuzzyScore } from "./fuzzy.ts";
import { type PathTable, prepareQuery } from "./path-table.ts";

export interface FileMatch {
  readonly path: string;
  readonly score: number;
}

export interface FileSearchResult {
  readonly query: string;
  readonly matches: readonly FileMatch[];
  /** How many paths match altogether, so far. */
  readonly total: number;
  /** False while there is more to look at. */
  readonly isComplete: boolean;
}

export interface FileSearchOptions {
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** How long one slice may hold the thread. */
  readonly sliceMs?: number;
}

interface Found {
  readonly query: string;
  /** Indexes of the paths that match. */
  readonly indexes: Uint32Array;
  /** How many paths of the table had been looked at. */
  readonly seen: number;
}

/** The rough pass keeps this many times the limit, and the exact one chooses among them. */
const ROUGH_FACTOR = 4;
const PATHS_BETWEEN_LOOKS = 512;

export class FileSearch {
  readonly #table: PathTable;
  #last: Found | undefined;

  constructor(table: PathTable) {
    this.#table = table;
  }

  /** Yields after every slice, the last time with `isComplete`. Ends early, without a last result, when the signal aborts. */
  async *search(
    query: string,
    { limit = 20, signal, sliceMs = 4 }: FileSearchOptions = {},
  ): AsyncGenerator<FileSearchResult, void, undefined> {
    const table = this.#table;
    const prepared = prepareQuery(query);
    const earlier = this.#continues(query);
    const known = earlier?.indexes.length ?? 0;
    const seen = table.length;
    const firstNew = earlier?.seen ?? 0;
    const toVisit = known + (seen - firstNew);
    const scores = new Int32Array(toVisit);
    const indexes = new Uint32Array(toVisit);
    let total = 0;
    const best = new Best(limit * ROUGH_FACTOR, (a, b) => this.#isWorse(scores, indexes, a, b));
    let visit = 0;
    while (visit < toVisit) {
      const until = performance.now() + sliceMs;
      do {
        const stop = Math.min(toVisit, visit + PATHS_BETWEEN_LOOKS);
        for (; visit < stop; visit++) {
          const index = visit < known ? (earlier?.indexes[visit] ?? 0) : firstNew + visit - known;
          const score = table.score(index, prepared);
          if (score < 0) continue;
          scores[total] = score;
          indexes[total] = index;
          best.offer(total);
          total++;
        }
      } while (visit < toVisit && performance.now() < until);
      if (visit >= toVisit) break;
      yield { query, matches: this.#exact(query, best, indexes, limit), total, isComplete: false };
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal?.aborted === true) return;
    }
    this.#last = { query, indexes: indexes.slice(0, total), seen };
    yield { query, matches: this.#exact(query, best, indexes, limit), total, isComplete: true };
  }

  /** What the last search found, where this query can only match fewer. */
  #continues(query: string): Found | undefined {
    const last = this.#last;
    if (last === undefined || last.query === "" || !query.startsWith(last.query)) return undefined;
    return last;
  }

  #isWorse(scores: Int32Array, indexes: Uint32Array, a: number, b: number): boolean {
    const difference = (scores[a] ?? 0) - (scores[b] ?? 0);
    if (difference !== 0) return difference < 0;
    const lengths = this.#table.byteLength(indexes[a] ?? 0) - this.#table.byteLength(indexes[b] ?? 0);
    return lengths !== 0 ? lengths > 0 : a > b;
  }

  #exact(query: string, best: Best, indexes: Uint32Array, limit: number): FileMatch[] {
    const matches: FileMatch[] = [];
    for (const item of best.items()) {
      const path = this.#table.at(indexes[item] ?? 0);
      const score = fuzzyScore(query, path);
      if (score !== undefined) matches.push({ path, score });
    }
    return matches.sort(byWorth).slice(0, limit);
  }
}

function byWorth(a: FileMatch, b: FileMatch): number {
  return (
    b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  );
}

/** The best few of many indexes, kept while they stream by. */
export class Best {
  readonly #limit: number;
  readonly #isWorse: (a: number, b: number) => boolean;
  readonly #kept: number[] = [];
  /** The last one that can still be among the best, once there are enough. */
  #worst: number | undefined;

  constructor(limit: number, isWorse: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isWorse = isWorse;
  }

  offer(item: number): void {
    if (this.#worst !== undefined && !this.#isWorse(this.#worst, item)) return;
    this.#kept.push(item);
    // Sorting only now and then is as quick as a heap.
    if (this.#kept.length >= 2 * this.#limit) this.#cut();
  }

  items(): readonly number[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((a, b) => (this.#isWorse(a, b) ? 1 : -1));
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
    this.#worst = this.#kept[this.#limit - 1];
  }
}
