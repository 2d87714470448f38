/** UTF-8 as a byte grammar: where a sequence ends, and whether it is one. Knows nothing of streams. */

/**
 * The sequence that starts at `at`: its length; or minus the number of bytes that one U+FFFD replaces when it is
 * invalid (the same grouping as `TextDecoder`); or 0 when the bytes end before the sequence does.
 */
export function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return -1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let offset = 1; offset < length; offset++) {
    const next = bytes[at + offset];
    if (next === undefined) return 0;
    // Only the second byte has narrower bounds: they shut out overlong forms, surrogates and what is past U+10FFFF.
    const low = offset > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = offset > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) return -offset;
  }
  return length;
}

/** How many bytes at the end begin a sequence that may yet be completed (0 to 3). */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceAt(bytes, bytes.length - back) === 0 ? back : 0;
  }
  return 0;
}

export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** Inside a character, not at its start. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
