/** How the session ends: the user quits, a signal comes, something fails. The first cause wins. */

import { systemCode } from "../protocol/index.ts";

/** The editor's end may be heard before the Ctrl+C that ended it. */
const LATE_MS = 100;

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export class Ending {
  readonly #ended = Promise.withResolvers<number>();
  #hasEnded = false;
  readonly #handlers: (() => void)[] = [];
  #lendings = 0;
  /** What was thrown, when that is why it ended. */
  failure: unknown;

  constructor() {
    for (const [name, exitCode] of Object.entries(signals))
      this.#on(name, () => {
        if (name !== "SIGINT" || this.#lendings === 0) this.end(exitCode);
      });
    // Without these the process would end with the terminal in raw mode.
    this.#on("uncaughtException", (error) => this.fail(error));
    this.#on("unhandledRejection", (error) => this.fail(error));
  }

  get reached(): Promise<number> {
    return this.#ended.promise;
  }

  /** While somebody else has the terminal, a Ctrl+C at its keyboard reaches omp, too, and is not meant for it. */
  async whileLent<T>(work: () => Promise<T>): Promise<T> {
    this.#lendings += 1;
    try {
      return await work();
    } finally {
      setTimeout(() => {
        this.#lendings -= 1;
      }, LATE_MS).unref();
    }
  }

  end(exitCode: number): void {
    this.#hasEnded = true;
    this.#ended.resolve(exitCode);
  }

  fail(error: unknown): void {
    // The terminal is gone, which the signal may not have told yet.
    if (systemCode(error) === "EIO") this.end(signals.SIGHUP);
    // What fails because of the ending is no cause of it.
    if (this.#hasEnded) return;
    this.failure = error;
    this.end(1);
  }

  release(): void {
    for (const off of this.#handlers.splice(0)) off();
  }

  #on(event: string, handler: (argument: unknown) => void): void {
    process.on(event, handler);
    this.#handlers.push(() => process.off(event, handler));
  }
}
