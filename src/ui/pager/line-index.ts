/**
 * Which line an offset is in, and where a line starts: the number of line feeds before every nth kilobyte. Built piece by piece, so that
 * a file of any size opens at once. Its memory is bounded: when the table is full, every other entry is dropped and the step doubles.
 * Steps are in bytes and not in lines, so that a lookup never reads more than one step, however long the lines are.
 */

import type { PagedFile } from "./paged-file.ts";

const LINE_FEED = 0x0a;
const FIRST_STEP = 65_536;
/** Large reads: each costs a trip to another thread, whatever its size. Counting one takes about a millisecond. */
const READ_BYTES = 16 * FIRST_STEP;

const SAMPLE_BYTES = 2_048;

export class LineIndex {
  readonly #file: PagedFile;
  readonly #maxEntries: number;
  #step = FIRST_STEP;
  /** #feeds[i]: line feeds in the first i × step bytes. */
  #feeds = new Float64Array(64);
  #entries = 1;
  #total = 0;
  #indexed = 0;
  #endsWithFeed = true;
  /** One reader at a time: the background and a jump to a line may both advance the index. */
  #advancing: Promise<boolean> | undefined;

  constructor(file: PagedFile, { maxEntries = 32_768 }: { maxEntries?: number } = {}) {
    this.#file = file;
    this.#maxEntries = maxEntries;
  }

  /** Bytes indexed so far, from the start. */
  get indexedBytes(): number {
    return this.#indexed;
  }

  /** Lines in what is indexed, with a last one that has no line feed. */
  get knownLines(): number {
    return this.#total + (this.#endsWithFeed ? 0 : 1);
  }

  /** Indexes one more piece; false when there is nothing more. */
  advance(size: number): Promise<boolean> {
    this.#advancing ??= this.#indexPiece(size).finally(() => {
      this.#advancing = undefined;
    });
    return this.#advancing;
  }

  async #indexPiece(size: number): Promise<boolean> {
    if (this.#indexed >= size) return false;
    // Whole small steps, so that an entry can be made at every boundary.
    const length = Math.min(READ_BYTES - (this.#indexed % FIRST_STEP), size - this.#indexed);
    const bytes = await this.#file.read(this.#indexed, length);
    if (bytes.length === 0) return false;
    for (let at = 0; at < bytes.length; ) {
      const boundary = this.#step - (this.#indexed % this.#step);
      const end = Math.min(bytes.length, at + boundary);
      this.#total += countFeeds(bytes, at, end);
      this.#indexed += end - at;
      at = end;
      if (this.#indexed % this.#step === 0) this.#addEntry();
    }
    this.#endsWithFeed = bytes[bytes.length - 1] === LINE_FEED;
    return true;
  }

  /** The number of the line (from 1) that has `offset` in it; undefined where the index has not reached. */
  async lineAt(offset: number): Promise<number | undefined> {
    if (offset > this.#indexed) return undefined;
    const entry = Math.min(Math.floor(offset / this.#step), this.#entries - 1);
    const start = entry * this.#step;
    const bytes = offset > start ? await this.#file.read(start, offset - start) : new Uint8Array(0);
    return (this.#feeds[entry] ?? 0) + countFeeds(bytes, 0, bytes.length) + 1;
  }

  /** Where a line (from 1) starts; undefined beyond what is indexed. */
  async offsetOf(line: number): Promise<number | undefined> {
    const feed = line - 1;
    if (feed <= 0) return 0;
    if (feed > this.#total) return undefined;
    const entry = this.#entryBefore(feed);
    let missing = feed - (this.#feeds[entry] ?? 0);
    const start = entry * this.#step;
    const bytes = await this.#file.read(start, Math.min(this.#step, this.#indexed - start));
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
      missing--;
      if (missing === 0) return start + at + 1;
    }
    return undefined;
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
  const sampled = Math.min(to, from + SAMPLE_BYTES);
  let feeds = countEach(bytes, from, sampled);
  // The native search is many times faster than a loop where line feeds are rare, and slower where they are not.
  if (feeds * 16 > sampled - from) return feeds + countEach(bytes, sampled, to);
  const rest = bytes.subarray(sampled, to);
  for (let at = rest.indexOf(LINE_FEED); at !== -1; at = rest.indexOf(LINE_FEED, at + 1)) feeds++;
  return feeds;
}

function countEach(bytes: Uint8Array, from: number, to: number): number {
  let feeds = 0;
  for (let at = from; at < to; at++) if (bytes[at] === LINE_FEED) feeds++;
  return feeds;
}
