/**
 * Many paths, packed: one buffer of bytes instead of 100,000 strings, and a mask of the letters of each, so that most are ruled out by one
 * comparison. `score` is the rough pass of a search: a quick score for every path that has the letters in order. Letters beyond ASCII
 * match in their own case only.
 */

import { points } from "./fuzzy.ts";

const SLASH = 0x2f;

const lower = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte,
);

/** One bit for each letter, one for digits, and a few for symbols; everything else shares the last one. */
const bitOf = Int32Array.from({ length: 256 }, (_, byte) => {
  const small = lower[byte] ?? 0;
  if (small >= 0x61 && small <= 0x7a) return 1 << (small - 0x61);
  if (byte >= 0x30 && byte <= 0x39) return 1 << 26;
  const symbol = "/._-".indexOf(String.fromCharCode(byte));
  return symbol === -1 ? 1 << 31 : 1 << (27 + symbol);
});

const isSymbol = Uint8Array.from({ length: 256 }, (_, byte) =>
  "-_. ".includes(String.fromCharCode(byte)) ? 1 : 0,
);

export interface Query {
  readonly bytes: Uint8Array;
  readonly mask: number;
  readonly isExact: boolean;
}

export function prepareQuery(text: string): Query {
  const bytes = new TextEncoder().encode(text);
  let mask = 0;
  for (const byte of bytes) mask |= bitOf[byte] ?? 0;
  return { bytes, mask, isExact: text !== text.toLowerCase() };
}

export class PathTable {
  #bytes = new Uint8Array(1 << 16);
  #starts = new Uint32Array(1 << 10);
  #basenames = new Uint32Array(1 << 10);
  #masks = new Int32Array(1 << 10);
  #count = 0;
  #used = 0;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  get length(): number {
    return this.#count;
  }

  add(path: string): void {
    const room = path.length * 3;
    if (this.#used + room > this.#bytes.length) this.#bytes = grown(this.#bytes, this.#used + room);
    if (this.#count + 1 >= this.#starts.length) {
      this.#starts = grown(this.#starts, this.#count + 2);
      this.#basenames = grown(this.#basenames, this.#count + 2);
      this.#masks = grown(this.#masks, this.#count + 2);
    }
    const start = this.#used;
    const { written } = this.#encoder.encodeInto(path, this.#bytes.subarray(start));
    const end = start + written;
    let mask = 0;
    let basename = start;
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at] ?? 0;
      mask |= bitOf[byte] ?? 0;
      // The slash at the end of a directory's name starts no new part.
      if (byte === SLASH && at + 1 < end) basename = at + 1;
    }
    this.#masks[this.#count] = mask;
    this.#basenames[this.#count] = basename;
    this.#count++;
    this.#starts[this.#count] = end;
    this.#used = end;
  }

  at(index: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[index], this.#starts[index + 1]));
  }

  byteLength(index: number): number {
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
  }

  /** A rough score, or -1 when the path does not have the letters in order. */
  score(index: number, { bytes: query, mask, isExact }: Query): number {
    if (((this.#masks[index] ?? 0) & mask) !== mask) return -1;
    const bytes = this.#bytes;
    const start = this.#starts[index] ?? 0;
    const end = this.#starts[index + 1] ?? 0;
    const basename = this.#basenames[index] ?? 0;
    // The last part of a path is what people mean first; the whole path is the second try.
    const inName = greedy(bytes, basename, end, basename, query, isExact);
    return inName !== -1 ? inName : greedy(bytes, start, end, basename, query, isExact);
  }
}

/** Finds where all letters first fit, goes back from the end of that to the shortest fit, and scores it. */
function greedy(
  bytes: Uint8Array,
  from: number,
  end: number,
  basename: number,
  query: Uint8Array,
  isExact: boolean,
): number {
  const length = query.length;
  let matched = 0;
  let at = from;
  for (; at < end && matched < length; at++) {
    const byte = bytes[at] ?? 0;
    if ((isExact ? byte : lower[byte]) === query[matched]) matched++;
  }
  if (matched < length) return -1;
  let score = 0;
  let next = -1;
  let remaining = length - 1;
  for (let back = at - 1; remaining >= 0; back--) {
    const byte = bytes[back] ?? 0;
    if ((isExact ? byte : lower[byte]) !== query[remaining]) continue;
    remaining--;
    const before = back === from && from !== basename ? SLASH : (bytes[back - 1] ?? SLASH);
    score += points.match;
    if (back === basename) score += points.nameStart;
    else if (before === SLASH) score += points.afterSlash;
    else if (isSymbol[before] === 1) score += points.afterSymbol;
    if (back >= basename) score += points.inBasename;
    const after = bytes[back + 1] ?? 0;
    if (back + 1 === end || after === SLASH || isSymbol[after] === 1) score += points.wordEnd;
    if (next !== -1)
      score += next === back + 1 ? points.adjacent : points.gapStart + points.gap * (next - back - 2);
    next = back;
  }
  return Math.max(0, score);
}

function grown<A extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  array: A,
  atLeast: number,
): A {
  let length = array.length * 2;
  while (length < atLeast) length *= 2;
  const Kind = array.constructor as new (length: number) => A;
  const larger = new Kind(length);
  larger.set(array);
  return larger;
}
