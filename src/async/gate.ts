/** Lets a limited number in at a time, in the order of their arrival. */

import { unlessAborted } from "./abort.ts";

export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` when there is a place for it. Throws the signal's reason, without running it, when the signal aborts first. */
  async pass<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await unlessAborted(this.#enter(), signal, () => this.#leave());
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
