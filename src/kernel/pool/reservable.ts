/** What is in use, or promised to somebody, and must not be given up meanwhile. */

import { IdleTimer } from "./idle-timer.ts";

export class Reservable {
  readonly idleTimer = new IdleTimer();
  #users = 0;
  #idle = Promise.withResolvers<void>();

  constructor() {
    this.#idle.resolve();
  }

  get isIdle(): boolean {
    return this.#users === 0;
  }

  async whenIdle(): Promise<void> {
    await this.#idle.promise;
  }

  /** Not idle from now on, until the returned release is called: even if the use itself has to wait for something else. */
  reserve(): () => void {
    this.idleTimer.disarm();
    if (this.isIdle) this.#idle = Promise.withResolvers();
    this.#users += 1;
    return () => {
      this.#users -= 1;
      if (this.isIdle) this.#idle.resolve();
    };
  }
}
