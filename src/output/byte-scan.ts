/** One look at each byte of a piece: what can be told before it is decoded. */

export interface ByteScan {
  newlines: number;
  /** Nothing in it but printable text, tabs and newlines, as far as bytes can tell: UTF-8 is for others to check. */
  plain: boolean;
}

/** Fills in `scan`, which is the caller's to reuse: this runs for every piece of every output. */
export function scanBytes(bytes: Uint8Array, scan: ByteScan): void {
  scan.newlines = 0;
  scan.plain = true;
  const unaligned = Math.min(bytes.length, (4 - (bytes.byteOffset % 4)) % 4);
  scanEach(bytes, 0, unaligned, scan);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + unaligned, (bytes.length - unaligned) >> 2);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    // Four bytes at once: is one below 0x20, or one above 0x7e? Borrows and carries can only raise a false alarm.
    const low = (word - 0x20202020) & ~word;
    const high = (word + 0x01010101) | word;
    if (((low | high) & 0x80808080) === 0) continue;
    const start = unaligned + at * 4;
    scanEach(bytes, start, start + 4, scan);
  }
  scanEach(bytes, unaligned + words.length * 4, bytes.length, scan);
}

function scanEach(bytes: Uint8Array, from: number, to: number, scan: ByteScan): void {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x0a) scan.newlines++;
    else if (byte < 0x20) {
      if (byte !== 0x09) scan.plain = false;
    } else if (byte === 0x7f || (byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0)) scan.plain = false;
  }
}
