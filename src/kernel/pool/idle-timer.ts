/** A timer that restarts each time it is armed, and never keeps the program running. */

export class IdleTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  arm(delayMs: number, action: () => void): void {
    this.disarm();
    this.#timer = setTimeout(action, delayMs);
    this.#timer.unref();
  }

  disarm(): void {
    clearTimeout(this.#timer);
  }
}
