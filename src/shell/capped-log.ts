/**
 * One output stream of a background shell on disk: the newest bytes, in two files of half the cap each, of which the older
 * one is deleted when the newer one is full. Remembers how far it was read, and how much was cut before it was read.
 */

import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

export interface NewOutput {
  readonly bytes: Uint8Array;
  /** Bytes before these that were cut before they were read. */
  readonly lost: number;
  /** The next call starts after these bytes. */
  readonly markRead: () => void;
}

interface Segment {
  readonly path: string;
  readonly file: number;
  /** Where in the stream it begins. */
  readonly start: number;
  length: number;
}

export class CappedLog {
  readonly #base: string;
  readonly #half: number;
  readonly #segments: Segment[] = [];
  #made = 0;
  #end = 0;
  #read = 0;

  constructor(base: string, maxBytes: number) {
    this.#base = base;
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
  }

  /** Everything that was ever written. */
  get totalBytes(): number {
    return this.#end;
  }

  /** Of those, what is no longer on disk. */
  get cutBytes(): number {
    return this.#segments[0]?.start ?? 0;
  }

  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const segment = this.#current();
      const piece = chunk.subarray(at, at + this.#half - segment.length);
      let done = 0;
      while (done < piece.length)
        done += writeSync(segment.file, piece, done, piece.length - done, segment.length + done);
      segment.length += piece.length;
      this.#end += piece.length;
      at += piece.length;
    }
  }

  /**
   * What was written since the last bytes that were marked as read, as far as it is still there.
   * @param hold how many of the last bytes are left for the next call: half a character, a line without an end.
   */
  readNew(hold: (bytes: Uint8Array) => number = () => 0): NewOutput {
    const from = Math.max(this.#read, this.cutBytes);
    const bytes = new Uint8Array(this.#end - from);
    for (const { file, start, length } of this.#segments) {
      const begin = Math.max(from, start);
      const count = start + length - begin;
      if (count > 0) readFully(file, bytes.subarray(begin - from, begin - from + count), begin - start);
    }
    const lost = from - this.#read;
    const length = bytes.length - hold(bytes);
    const markRead = () => {
      this.#read = Math.max(this.#read, from + length);
    };
    return { bytes: bytes.subarray(0, length), lost, markRead };
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) drop(segment);
  }

  #current(): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.length < this.#half) return last;
    if (this.#segments.length === 2) {
      const oldest = this.#segments.shift();
      if (oldest !== undefined) drop(oldest);
    }
    const path = `${this.#base}.${this.#made}`;
    this.#made += 1;
    const segment = { path, file: openSync(path, "wx+", 0o600), start: this.#end, length: 0 };
    this.#segments.push(segment);
    return segment;
  }
}

function readFully(file: number, into: Uint8Array, position: number): void {
  for (let at = 0; at < into.length; ) {
    const count = readSync(file, into, at, into.length - at, position + at);
    if (count === 0) return;
    at += count;
  }
}

function drop({ path, file }: Segment): void {
  closeSync(file);
  rmSync(path, { force: true });
}
