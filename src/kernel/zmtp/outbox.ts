/**
 * What has been sent but not yet taken by the operating system, in order.
 *
 * A write may take a part only; the rest waits here until the socket drains. Large pieces wait as they are. Small ones
 * that have to wait are copied together, so that a hundred thousand of them cost a few writes and no object each.
 */

const BATCH_BYTES = 64 * 1024;

/** Pieces above this wait as they are: copying them would cost more than the write that it saves. */
const BATCHED_MAX_BYTES = BATCH_BYTES / 4;

/** `bytes[start, end)` is waiting; a batch has room behind `end`. A list, so that what is written is let go at once. */
interface Segment {
  readonly bytes: Uint8Array;
  readonly batch: boolean;
  start: number;
  end: number;
  next: Segment | undefined;
}

export class Outbox {
  /** How many of the bytes were taken; zero or less when none can be taken now. */
  readonly #write: (bytes: Uint8Array) => number;
  #first: Segment | undefined;
  #last: Segment | undefined;
  #waitingBytes = 0;

  constructor(write: (bytes: Uint8Array) => number) {
    this.#write = write;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  push(piece: Uint8Array): void {
    const taken = this.#waitingBytes === 0 ? Math.max(0, this.#write(piece)) : 0;
    if (taken === piece.length) return;
    this.#waitingBytes += piece.length - taken;
    if (piece.length > BATCHED_MAX_BYTES) {
      this.#add({ bytes: piece, batch: false, start: taken, end: piece.length, next: undefined });
    } else {
      this.#addToBatch(taken === 0 ? piece : piece.subarray(taken));
    }
  }

  /** Writes until all is gone or no more is taken. */
  flush(): void {
    while (this.#first !== undefined) {
      const segment = this.#first;
      const taken = this.#write(segment.bytes.subarray(segment.start, segment.end));
      if (taken <= 0) return;
      segment.start += taken;
      this.#waitingBytes -= taken;
      if (segment.start < segment.end) return;
      this.#first = segment.next;
    }
    this.#last = undefined;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
    this.#waitingBytes = 0;
  }

  #addToBatch(piece: Uint8Array): void {
    let batch = this.#last;
    if (batch === undefined || !batch.batch || batch.bytes.length - batch.end < piece.length) {
      batch = { bytes: new Uint8Array(BATCH_BYTES), batch: true, start: 0, end: 0, next: undefined };
      this.#add(batch);
    }
    batch.bytes.set(piece, batch.end);
    batch.end += piece.length;
  }

  #add(segment: Segment): void {
    if (this.#last === undefined) this.#first = segment;
    else this.#last.next = segment;
    this.#last = segment;
  }
}
