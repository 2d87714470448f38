/** How the session ends: the user quits, a signal arrives, something fails. The first cause wins. */

import { exitCodeOf } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { OmpError, systemCode } from "../protocol/index.ts";

/** The end of the editor may be noticed before the Ctrl+C that ended it. */
const LATE_MS = 100;

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export class Ending {
  readonly #ended = Promise.withResolvers<number>();
  readonly #controller = new AbortController();
  readonly #handlers: (() => void)[] = [];
  readonly #hurry = new AbortController();
  #lendings = 0;
  /** What was thrown, when that is why it ended. */
  #failure: unknown;

  constructor() {
    for (const [name, exitCode] of Object.entries(signals))
      this.#on(name, () => {
        if (name === "SIGINT" && this.signal.aborted) this.#hurry.abort();
        if (name !== "SIGINT" || this.#lendings === 0) this.end(exitCode);
      });
    // Without these the process would end with the terminal in raw mode.
    this.#on("uncaughtException", (error) => this.fail(error));
    this.#on("unhandledRejection", (error) => this.fail(error));
  }

  get reached(): Promise<number> {
    return this.#ended.promise;
  }

  /** Aborted with the end: nothing is to be asked or opened any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted by a Ctrl+C after the end: the user does not want to wait. */
  get hurry(): AbortSignal {
    return this.#hurry.signal;
  }

  /** While another program has the terminal, omp receives its Ctrl+C as well, and ignores it. */
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
    this.#controller.abort();
    this.#ended.resolve(exitCode);
  }

  fail(error: unknown): void {
    // The terminal is gone, and the signal that says so may not have arrived yet.
    if (systemCode(error) === "EIO") this.end(signals.SIGHUP);
    // What fails because of the ending is not its cause.
    if (this.signal.aborted) return;
    this.#failure = error;
    this.end(1);
  }

  /** @returns the exit code of a failure that was reported; undefined when nothing failed. Throws a bug. */
  reportFailure(io: CommandIo): number | undefined {
    if (this.#failure === undefined) return undefined;
    if (!(this.#failure instanceof OmpError)) throw this.#failure;
    io.stderr(`${this.#failure.message}\n`);
    return exitCodeOf(this.#failure);
  }

  release(): void {
    for (const off of this.#handlers.splice(0)) off();
  }

  #on(event: string, handler: (argument: unknown) => void): void {
    process.on(event, handler);
    this.#handlers.push(() => process.off(event, handler));
  }
}
