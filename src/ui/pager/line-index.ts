/**
 * Which line an offset is in, and where a line begins: the count of line feeds before every nth kilobyte. Built piece by piece, so that a
 * file of any size opens at once. Its memory is bounded: when the table is full, every other entry goes and the steps double. Steps are
 * of bytes and not of lines, so that one lookup never reads more than one step, however long the lines are.
 */

import type { PagedFile } from "./paged-file.ts";

const lineFeed = 0x0a;
const firstStep = 65_536;
/** Large reads: each costs a trip to another thread, whatever its size. Counting one takes about a millisecond. */
const readBytes = 16 * firstStep;

const sampleBytes = 2_048;

export class LineIndex {
  readonly #file: PagedFile;
  readonly #maxEntries: number;
  #step = firstStep;
  /** #feeds[i]: line feeds in the first i × step bytes. */
  #feeds: Float64Array;
  #entries = 1;
  #total = 0;
  #indexed = 0;
  #endsWithFeed = true;
  /** One reader at a time: the background and a jump to a line may both want to go on. */
  #advancing: Promise<boolean> | undefined;
  #generation = 0;

  constructor(file: PagedFile, { maxEntries = 32_768 }: { maxEntries?: number } = {}) {
    this.#file = file;
    this.#maxEntries = maxEntries;
    this.#feeds = new Float64Array(64);
  }

  /** How many bytes from the start are known. */
  get indexedBytes(): number {
    return this.#indexed;
  }

  /** Lines in what is known; the last one counts without a line feed, too. */
  get knownLines(): number {
    return this.#total + (this.#endsWithFeed ? 0 : 1);
  }

  /** Reads on for one step; false when there is nothing more. */
  advance(size: number): Promise<boolean> {
    this.#advancing ??= this.#readOn(size).finally(() => {
      this.#advancing = undefined;
    });
    return this.#advancing;
  }

  async #readOn(size: number): Promise<boolean> {
    if (this.#indexed >= size) return false;
    const generation = this.#generation;
    // Whole small steps, so that an entry can be made at every boundary.
    const length = Math.min(readBytes - (this.#indexed % firstStep), size - this.#indexed);
    const bytes = await this.#file.read(this.#indexed, length);
    // What was read before a reset belongs to another file.
    if (generation !== this.#generation) return true;
    if (bytes.length === 0) return false;
    for (let at = 0; at < bytes.length; ) {
      const boundary = this.#step - (this.#indexed % this.#step);
      const end = Math.min(bytes.length, at + boundary);
      this.#total += countFeeds(bytes, at, end);
      this.#indexed += end - at;
      at = end;
      if (this.#indexed % this.#step === 0) this.#addEntry();
    }
    this.#endsWithFeed = bytes[bytes.length - 1] === lineFeed;
    return true;
  }

  /** The number of the line (from 1) that has `offset` in it; undefined where the index has not come to. */
  async lineAt(offset: number): Promise<number | undefined> {
    if (offset > this.#indexed) return undefined;
    const entry = Math.min(Math.floor(offset / this.#step), this.#entries - 1);
    const start = entry * this.#step;
    const bytes = offset > start ? await this.#file.read(start, offset - start) : new Uint8Array(0);
    return (this.#feeds[entry] ?? 0) + countFeeds(bytes, 0, bytes.length) + 1;
  }

  /** Where a line (from 1) begins; undefined when it is beyond what is known. */
  async offsetOf(line: number): Promise<number | undefined> {
    const feed = line - 1;
    if (feed <= 0) return 0;
    if (feed > this.#total) return undefined;
    const entry = this.#entryBefore(feed);
    let missing = feed - (this.#feeds[entry] ?? 0);
    const start = entry * this.#step;
    const bytes = await this.#file.read(start, Math.min(this.#step, this.#indexed - start));
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
      missing--;
      if (missing === 0) return start + at + 1;
    }
    return undefined;
  }

  /** The file became shorter or another one: all over again. */
  reset(): void {
    this.#generation++;
    this.#step = firstStep;
    this.#feeds.fill(0);
    this.#entries = 1;
    this.#total = 0;
    this.#indexed = 0;
    this.#endsWithFeed = true;
  }

  /** The last entry with fewer line feeds before it than `feed`. */
  #entryBefore(feed: number): number {
    let low = 0;
    let high = this.#entries - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#feeds[middle] ?? 0) < feed) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #addEntry(): void {
    if (this.#entries >= this.#maxEntries) this.#halve();
    // After halving this boundary may lie between two steps.
    if (this.#indexed % this.#step !== 0) return;
    if (this.#entries >= this.#feeds.length) {
      const larger = new Float64Array(this.#feeds.length * 2);
      larger.set(this.#feeds);
      this.#feeds = larger;
    }
    this.#feeds[this.#entries] = this.#total;
    this.#entries++;
  }

  #halve(): void {
    const kept = Math.ceil(this.#entries / 2);
    for (let entry = 0; entry < kept; entry++) this.#feeds[entry] = this.#feeds[entry * 2] ?? 0;
    this.#entries = kept;
    this.#step *= 2;
  }
}

function countFeeds(bytes: Uint8Array, from: number, to: number): number {
  const sampled = Math.min(to, from + sampleBytes);
  let feeds = countEach(bytes, from, sampled);
  // The search of the system is many times quicker than a loop where line feeds are rare, and slower where they are not.
  if (feeds * 16 > sampled - from) return feeds + countEach(bytes, sampled, to);
  const rest = bytes.subarray(sampled, to);
  for (let at = rest.indexOf(lineFeed); at !== -1; at = rest.indexOf(lineFeed, at + 1)) feeds++;
  return feeds;
}

function countEach(bytes: Uint8Array, from: number, to: number): number {
  let feeds = 0;
  for (let at = from; at < to; at++) if (bytes[at] === lineFeed) feeds++;
  return feeds;
}
