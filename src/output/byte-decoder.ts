/**
 * Bytes to text, and the stretches that are not text to notes. Owns: UTF-8 that is split across chunks, the verdict
 * "this is binary" and where such a stretch begins. It holds back a few bytes at most (half a character, what may be a file
 * signature, an undecodable byte and what follows it), so that the verdict does not depend on how the stream was cut.
 */

import { isUtf8 } from "node:buffer";
import { BinaryStretch, isTextByte } from "./binary-stretch.ts";
import { mayBecomeMagic, sniffType, UNKNOWN_BINARY } from "./magic.ts";
import { sequenceAt, unfinishedTail } from "./utf8.ts";

export interface DecodedStream {
  text(text: string): void;
  /** A stretch that is over: how long it was, and what it was. */
  binary(stretch: { readonly bytes: number; readonly type: string }): void;
}

/** How far an undecodable byte is looked past, and what makes it binary: so many bad bytes, and this share of them. */
const SUSPICION_BYTES = 128;
const LEAST_BAD = 8;
const BAD_SHARE = 0.3;
/** How far before the first undecodable byte a file signature may begin. */
export const SIGNATURE_REACH = 64;

/** A NUL among text, as `find -print0` and C strings have it: without it two words would become one. */
const SHOWN_NUL = "␀";
const NEWLINE = 0x0a;
const nothing = Buffer.alloc(0);

export class ByteDecoder {
  readonly #out: DecodedStream;
  #held: Buffer = nothing;
  #atLineStart = true;
  #stretch: BinaryStretch | undefined;

  constructor(out: DecodedStream) {
    this.#out = out;
  }

  /** Not inside a binary stretch. */
  get isInText(): boolean {
    return this.#stretch === undefined;
  }

  /** At the start of a line, with nothing held back: text may pass by without being pushed. */
  get isBetweenLines(): boolean {
    return this.#stretch === undefined && this.#held.length === 0 && this.#atLineStart;
  }

  push(chunk: Buffer): void {
    let rest: Buffer | undefined = chunk;
    while (rest !== undefined && rest.length > 0) {
      rest =
        this.#stretch === undefined
          ? this.#readText(rest, { last: false })
          : this.#readBinary(rest, this.#stretch);
    }
  }

  end(): void {
    let rest = this.#stretch === undefined ? this.#readText(nothing, { last: true }) : undefined;
    while (this.#stretch !== undefined) {
      const text = rest === undefined ? undefined : this.#readBinary(rest, this.#stretch);
      rest = this.#readText(text ?? this.#endBinary(), { last: true });
    }
  }

  /** Reads text; returns the rest where a binary stretch begins, or nothing when all bytes are used or held. */
  #readText(chunk: Buffer, { last }: { last: boolean }): Buffer | undefined {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const whole = last ? bytes : bytes.subarray(0, bytes.length - unfinishedTail(bytes));
    if (isUtf8(whole) && !whole.includes(0))
      return this.#hold("", bytes, 0, last ? whole.length : this.#heldFrom(whole, 0));
    let text = "";
    let at = 0;
    for (;;) {
      const bad = firstBad(bytes, at);
      const length = bad < bytes.length ? sequenceAt(bytes, bad) : 0;
      if (bad === bytes.length || (length === 0 && !last)) {
        return this.#hold(text, bytes, at, last ? bad : this.#heldFrom(bytes.subarray(0, bad), at));
      }
      const signature = this.#lineStarts(bytes, Math.max(at, bad - SIGNATURE_REACH), bad) ?? bad;
      if (!last && bytes.length < bad + SUSPICION_BYTES) return this.#hold(text, bytes, at, signature);
      const type = sniffType(bytes.subarray(signature));
      const proven = isBinary(bytes.subarray(bad, bad + SUSPICION_BYTES));
      if (proven || type?.sure === true) {
        const start = type === undefined ? bad : signature;
        this.#hold(text, bytes, at, start);
        this.#held = nothing;
        this.#stretch = new BinaryStretch(type?.name ?? UNKNOWN_BINARY);
        return bytes.subarray(start);
      }
      text += bytes.toString("utf8", at, bad) + (bytes[bad] === 0 ? SHOWN_NUL : "\ufffd");
      at = length === 0 ? bytes.length : bad + Math.abs(length);
    }
  }

  /** Passes on `text` and the bytes up to `end`, and keeps the others for the next chunk. */
  #hold(text: string, bytes: Buffer, from: number, end: number): undefined {
    const decoded = text + bytes.toString("utf8", from, end);
    if (end > 0) this.#atLineStart = bytes[end - 1] === NEWLINE;
    this.#held = end === bytes.length ? nothing : Buffer.from(bytes.subarray(end));
    if (decoded !== "") this.#out.text(decoded);
    return undefined;
  }

  /** Clean bytes may end in the beginning of a file signature: where to wait for more. */
  #heldFrom(bytes: Buffer, low: number): number {
    return (
      this.#lineStarts(bytes, Math.max(low, bytes.length - SIGNATURE_REACH), bytes.length) ?? bytes.length
    );
  }

  /** The first line between `low` and `high` that begins as a known file type does. */
  #lineStarts(bytes: Buffer, low: number, high: number): number | undefined {
    for (let at = low; at < high; at++) {
      const startsLine = at === 0 ? this.#atLineStart : bytes[at - 1] === NEWLINE;
      if (startsLine && mayBecomeMagic(bytes, at)) return at;
    }
    return undefined;
  }

  #readBinary(chunk: Buffer, stretch: BinaryStretch): Buffer | undefined {
    const text = stretch.push(chunk);
    if (text !== undefined) this.#finishStretch(stretch);
    return text;
  }

  #endBinary(): Buffer {
    const stretch = this.#stretch;
    if (stretch === undefined) return nothing;
    const text = stretch.end();
    this.#finishStretch(stretch);
    return text;
  }

  #finishStretch(stretch: BinaryStretch): void {
    this.#stretch = undefined;
    this.#atLineStart = true;
    this.#out.binary({ bytes: stretch.bytes, type: stretch.type });
  }
}

/** The first NUL or undecodable byte from `from` on, or the length when there is none. */
function firstBad(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    const length = byte === 0 ? 0 : byte < 0x80 ? 1 : sequenceAt(bytes, at);
    if (length <= 0) return at;
    at += length;
  }
  return at;
}

/** A few stray bytes do not settle it: most often it is text in an older encoding, or with NULs in it. */
function isBinary(bytes: Buffer): boolean {
  let bad = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const length = byte >= 0x80 ? sequenceAt(bytes, at) : isTextByte(byte) ? 1 : -1;
    if (length < 0) bad -= length;
    at += Math.max(1, Math.abs(length));
  }
  return bad >= LEAST_BAD && bad >= bytes.length * BAD_SHARE;
}
