/**
 * Frames on the wire, the writing side.
 *
 *   flags (1 MORE · 2 LONG · 4 COMMAND) | length: 1 byte, or 8 bytes big-endian when LONG | body
 *
 * A message is one or more frames, all but the last with MORE. A command is a single frame.
 */

export const MORE = 1;
export const LONG = 2;
export const COMMAND = 4;

/** Bodies from this size on are handed over as they are; below, copying is cheaper than one more system call. */
export const BY_REFERENCE_BYTES = 32 * 1024;

const SHORT_MAX = 255;
const SHORT_HEADER_BYTES = 2;
const LONG_HEADER_BYTES = 9;

/** The bytes of one message, as few pieces as possible. Large bodies are not copied: they must not change afterwards. */
export function encodeMessage(frames: readonly Uint8Array[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let first = 0;
  while (first < frames.length) {
    // A run: headers and small bodies, up to and including the header of the next large body.
    let runBytes = 0;
    let last = first;
    for (; last < frames.length; last++) {
      const size = frames[last]?.length ?? 0;
      runBytes += size > SHORT_MAX ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES;
      if (size >= BY_REFERENCE_BYTES) break;
      runBytes += size;
    }
    const run = Buffer.allocUnsafe(runBytes);
    let at = 0;
    for (let index = first; index <= last && index < frames.length; index++) {
      const body = frames[index] ?? new Uint8Array(0);
      at = writeHeader(run, at, index < frames.length - 1 ? MORE : 0, body.length);
      if (body.length < BY_REFERENCE_BYTES) {
        run.set(body, at);
        at += body.length;
      }
    }
    pieces.push(run);
    const large = frames[last];
    if (large !== undefined) pieces.push(large);
    first = last + 1;
  }
  return pieces;
}

export function encodeCommand(body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(LONG_HEADER_BYTES + body.length);
  const at = writeHeader(bytes, 0, COMMAND, body.length);
  bytes.set(body, at);
  return bytes.subarray(0, at + body.length);
}

function writeHeader(into: Buffer, at: number, flags: number, length: number): number {
  if (length <= SHORT_MAX) {
    into[at] = flags;
    into[at + 1] = length;
    return at + SHORT_HEADER_BYTES;
  }
  into[at] = flags | LONG;
  into.writeUInt32BE(Math.floor(length / 2 ** 32), at + 1);
  into.writeUInt32BE(length % 2 ** 32, at + 5);
  return at + LONG_HEADER_BYTES;
}
