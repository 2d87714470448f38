/** A time limit that can be held: while it is, no time passes. */

export class TimeLimit {
  readonly #controller = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #holds = 0;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
    this.#run();
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @returns what lets the time pass again, once every hold has been released. */
  hold(): () => void {
    if (this.#holds === 0) this.#pause();
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds === 0) this.#run();
    };
  }

  /** It is no longer needed. */
  stop(): void {
    this.#holds += 1;
    this.#pause();
  }

  #run(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs);
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
  }
}
