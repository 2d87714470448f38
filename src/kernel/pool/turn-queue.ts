/** Turns at something that one caller uses at a time, in the order of asking. */

import { unlessAborted } from "../../async/abort.ts";

export interface Turn {
  /** Rejects when the signal aborts, or the queue is closed, before it is this caller's turn. */
  readonly begun: Promise<unknown>;
  /** To be called in any case. */
  readonly end: () => void;
}

export class TurnQueue {
  readonly #closing: AbortSignal;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** The next turn waits for the end of this one, not for its success. */
  enter(signal: AbortSignal): Turn {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = before.then(() => promise);
    const begun = unlessAborted(before, AbortSignal.any([signal, this.#closing]));
    return { begun, end: resolve };
  }
}
