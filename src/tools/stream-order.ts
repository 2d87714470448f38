/** Joins two streams of bytes in the order in which they arrive, and never splits a character of one with bytes of the other. */

import { unfinishedTail } from "../output/utf8.ts";

const nothing = new Uint8Array();

export function joinStreams(write: (bytes: Uint8Array) => void) {
  const held = { stdout: nothing, stderr: nothing };
  return {
    write(stream: keyof typeof held, chunk: Uint8Array): void {
      const bytes = held[stream].length === 0 ? chunk : Buffer.concat([held[stream], chunk]);
      const length = bytes.length - unfinishedTail(bytes);
      if (length > 0) write(bytes.subarray(0, length));
      // A copy: the chunk is the reader's.
      held[stream] = bytes.slice(length);
    },
    end(): void {
      for (const rest of Object.values(held)) if (rest.length > 0) write(rest);
    },
  };
}
