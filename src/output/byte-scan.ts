/** One pass over the bytes of a piece: what can be known before it is decoded. */

export interface ByteScan {
  newlines: number;
  /** Nothing in it but printable text, tabs and newlines, as far as single bytes show: UTF-8 is checked elsewhere. */
  plain: boolean;
}

const noWords = new Int32Array(0);

/** Fills in `scan`, which is the caller's to reuse: this runs for every piece of every output. */
export function scanBytes(bytes: Uint8Array, scan: ByteScan): void {
  // A view of words may begin only at every fourth byte of the buffer.
  const unaligned = Math.min(bytes.length, (4 - (bytes.byteOffset % 4)) % 4);
  const wordCount = (bytes.length - unaligned) >> 2;
  const words =
    wordCount === 0 ? noWords : new Int32Array(bytes.buffer, bytes.byteOffset + unaligned, wordCount);
  const wordsEnd = unaligned + words.length * 4;
  let newlines = 0;
  let controls = 0;
  let at = 0;
  while (at < bytes.length) {
    if (at >= unaligned && at < wordsEnd) {
      const word = words[(at - unaligned) >> 2] ?? 0;
      // Four bytes at once: is one below 0x20, or one above 0x7e? Borrows and carries can only raise a false alarm.
      const low = (word - 0x20202020) & ~word;
      const high = (word + 0x01010101) | word;
      if (((low | high) & 0x80808080) === 0) {
        at += 4;
        continue;
      }
    }
    // One by one up to the next word.
    const end = at < unaligned ? unaligned : at < wordsEnd ? at + 4 : bytes.length;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x0a) newlines++;
      else if (byte < 0x20) controls += byte === 0x09 ? 0 : 1;
      else if (byte === 0x7f || (byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0)) controls++;
    }
  }
  scan.newlines = newlines;
  scan.plain = controls === 0;
}
