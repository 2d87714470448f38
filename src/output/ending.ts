/**
 * The end of a growing text, as UTF-8 in one reused buffer: a gigabyte of output leaves nothing for the garbage
 * collector.
 */

import { isContinuation, isLowSurrogate } from "./utf8.ts";

const SMALLEST = 1024;
/** Strings are encoded in pieces of so many characters. */
const PIECE_CHARACTERS = 16_384;
const PIECE_BYTES = PIECE_CHARACTERS * 3;

export class Ending {
  readonly #leastBytes: number;
  readonly #capacity: number;
  readonly #onDrop: ((bytes: Buffer, end: number) => void) | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #used = 0;
  /** Whether the start of the text is still there. */
  whole = true;

  /** Keeps at least the last `leastBytes` of the text. @param onDrop called before the first `end` of these bytes are dropped. */
  constructor(leastBytes: number, onDrop?: (bytes: Buffer, end: number) => void) {
    this.#leastBytes = leastBytes;
    this.#onDrop = onDrop;
    this.#capacity = leastBytes * 2 + PIECE_BYTES;
  }

  append(text: string | Buffer): void {
    if (typeof text === "string") this.#appendString(text);
    else {
      for (let at = 0; at < text.length; at += PIECE_BYTES) {
        const piece = text.subarray(at, at + PIECE_BYTES);
        this.#makeRoom(piece.length);
        this.#used += piece.copy(this.#buffer, this.#used);
      }
    }
  }

  /** What is kept, from the first whole character on. Valid until the next `append`. */
  bytes(): Buffer {
    let start = 0;
    while (start < this.#used && isContinuation(this.#buffer[start])) start++;
    return this.#buffer.subarray(start, this.#used);
  }

  #appendString(text: string): void {
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE_CHARACTERS, text.length);
      // Not between the halves of a pair.
      if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end++;
      const piece = at === 0 && end === text.length ? text : text.slice(at, end);
      this.#makeRoom(Buffer.byteLength(piece));
      this.#used += this.#buffer.write(piece, this.#used);
      at = end;
    }
  }

  #makeRoom(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#buffer.length) return;
    if (needed <= this.#capacity) {
      const larger = Buffer.alloc(Math.min(this.#capacity, Math.max(SMALLEST, needed * 2)));
      this.#buffer.copy(larger, 0, 0, this.#used);
      this.#buffer = larger;
      return;
    }
    this.whole = false;
    const keep = Math.min(this.#leastBytes, this.#used);
    this.#onDrop?.(this.#buffer.subarray(0, this.#used), this.#used - keep);
    this.#buffer.copyWithin(0, this.#used - keep, this.#used);
    this.#used = keep;
    if (this.#buffer.length < keep + bytes) this.#makeRoom(bytes);
  }
}
