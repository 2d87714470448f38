/**
 * One frame whose body arrives in several chunks, put together in linear time.
 *
 * The length is only the peer's word. A buffer of that size is made at once while it is small; beyond that, memory
 * follows what has truly arrived: it grows eightfold each time it is full, so that never more than eight times the received bytes
 * (plus the first buffer) is reserved, and a 100 MB frame is moved just once, when its first 16 MB are there.
 */

const FIRST_BYTES = 16 * 1024 * 1024;
const GROWTH = 8;

export class FrameAssembly {
  readonly flags: number;
  readonly length: number;
  #buffer: Uint8Array;
  #have = 0;

  constructor(flags: number, length: number) {
    this.flags = flags;
    this.length = length;
    this.#buffer = new Uint8Array(Math.min(length, FIRST_BYTES));
  }

  get reservedBytes(): number {
    return this.#buffer.length;
  }

  get complete(): boolean {
    return this.#have === this.length;
  }

  /** The whole body; only to be asked for when `complete`. */
  get body(): Uint8Array {
    return this.#buffer;
  }

  /** Takes what belongs to this frame from `chunk` at `from`; returns where the next byte of the stream is. */
  fill(chunk: Uint8Array, from: number): number {
    const to = Math.min(chunk.length, from + this.length - this.#have);
    this.#reserve(this.#have + to - from);
    this.#buffer.set(chunk.subarray(from, to), this.#have);
    this.#have += to - from;
    return to;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.min(this.length, Math.max(bytes, this.#buffer.length * GROWTH)));
    larger.set(this.#buffer.subarray(0, this.#have));
    this.#buffer = larger;
  }
}
