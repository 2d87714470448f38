/**
 * A stretch of bytes that is not text: counts them, and finds where text starts again. A long clean run ends it
 * anywhere; a shorter one only where the writer paused: a chunk of clean lines, or the clean end of the stream.
 */

import { sequenceAt, unfinishedTail } from "./utf8.ts";

/** A clean run of this length is text again, wherever the chunks fall. */
const CLEAN_RUN = 4096;
/** A shorter clean end may be coincidence. */
const LEAST_TEXT = 3;
const NEWLINE = 0x0a;
const nothing = Buffer.alloc(0);

/** Formats that are half text themselves: nothing inside them is the program's own text until this mark. */
const endMarks: Readonly<Record<string, string>> = { "application/pdf": "%%EOF" };

/** ASCII that text is made of: printable, white space, bell and escape. */
export function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
}

export class BinaryStretch {
  readonly type: string;
  /** Bytes that are binary for certain. */
  bytes = 0;
  /** The clean run at the end so far: text, if it continues. */
  #run: Buffer = nothing;
  /** Where in the run the chunks begin that were clean as a whole. */
  #cleanFrom: number | undefined;

  constructor(type: string) {
    this.type = type;
  }

  /** Takes the next bytes; returns those that are text again, once there are some. */
  push(chunk: Buffer): Buffer | undefined {
    const bytes = this.#run.length === 0 ? chunk : Buffer.concat([this.#run, chunk]);
    let cleanFrom = this.#cleanFrom ?? this.#run.length;
    let run = 0;
    let at = this.#run.length - unfinishedTail(this.#run);
    while (at < bytes.length) {
      if (at === run && bytes.length - at >= CLEAN_RUN) {
        const bad = lastImpossible(bytes, at, at + CLEAN_RUN);
        if (bad !== undefined) {
          at = bad + 1;
          run = at;
          cleanFrom = Number.POSITIVE_INFINITY;
          continue;
        }
      }
      const byte = bytes[at] ?? 0;
      const length = byte >= 0x80 ? sequenceAt(bytes, at) : isTextByte(byte) ? 1 : -1;
      if (length === 0) break;
      at += Math.abs(length);
      if (length < 0) {
        run = at;
        cleanFrom = Number.POSITIVE_INFINITY;
      } else if (at - run >= CLEAN_RUN) {
        const start = this.#textStart(bytes, { run, from: run, to: at });
        if (start !== undefined) return this.#leave(bytes, start);
        run = at;
        cleanFrom = Number.POSITIVE_INFINITY;
      }
    }
    // A reader that takes a few bytes at a time pauses everywhere: such chunks prove nothing.
    if (chunk.length >= LEAST_TEXT && cleanFrom < bytes.length && bytes[bytes.length - 1] === NEWLINE) {
      const start = this.#textStart(bytes, { run, from: cleanFrom, to: bytes.length });
      if (start !== undefined) return this.#leave(bytes, start);
    }
    this.bytes += run;
    this.#run = Buffer.from(bytes.subarray(run));
    this.#cleanFrom = cleanFrom <= bytes.length ? Math.max(0, cleanFrom - run) : undefined;
    return undefined;
  }

  /** The stream is over: returns the text that it ends with. */
  end(): Buffer {
    const run = this.#run;
    const from = this.#cleanFrom ?? (run[run.length - 1] === NEWLINE ? 0 : run.length);
    const start = this.#textStart(run, { run: 0, from, to: run.length }) ?? run.length;
    return this.#leave(run, run.length - start >= LEAST_TEXT ? start : run.length);
  }

  #leave(bytes: Buffer, start: number): Buffer {
    this.bytes += start;
    return bytes.subarray(start);
  }

  /** `from`, or the position after the format's end mark in the clean run, if it has one; nothing before that mark is text. */
  #textStart(
    bytes: Buffer,
    { run, from, to }: { run: number; from: number; to: number },
  ): number | undefined {
    const mark = endMarks[this.type];
    if (mark === undefined) return from;
    const found = bytes.subarray(run, to).lastIndexOf(mark);
    if (found === -1) return undefined;
    const end = run + found + mark.length;
    return Math.max(from, bytes[end] === NEWLINE ? end + 1 : end);
  }
}

/**
 * The last byte between `from` and `to` that no text has. No clean run can begin before it and be long enough, so that most
 * of a binary stretch is never looked at.
 */
function lastImpossible(bytes: Buffer, from: number, to: number): number | undefined {
  for (let at = to - 1; at >= from; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80 ? !isTextByte(byte) : byte >= 0xf5 || byte === 0xc0 || byte === 0xc1) return at;
  }
  return undefined;
}
