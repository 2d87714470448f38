/** Joins two streams of bytes in the order in which they arrive, and never splits a character of one with bytes of the other. */

import { unfinishedTail } from "../output/utf8.ts";

export type StreamName = "stdout" | "stderr";

export class StreamOrder {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #held: Record<StreamName, Uint8Array> = { stdout: new Uint8Array(), stderr: new Uint8Array() };

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(stream: StreamName, chunk: Uint8Array): void {
    const held = this.#held[stream];
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const length = bytes.length - unfinishedTail(bytes);
    if (length > 0) this.#write(bytes.subarray(0, length));
    // A copy: the chunk is the reader's.
    this.#held[stream] = bytes.slice(length);
  }

  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#held[stream].length > 0) this.#write(this.#held[stream]);
      this.#held[stream] = new Uint8Array();
    }
  }
}
