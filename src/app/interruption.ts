/**
 * SIGINT, SIGTERM and a reader that has gone away, as one AbortSignal. Only the first of each is caught: a second Ctrl+C
 * ends omp at once, and the watchdog cleans up behind it.
 */

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export class Interruption {
  readonly #controller = new AbortController();
  #exitCode: number | undefined;

  readonly #onInterrupt = () => this.#stop(exitCodes.SIGINT);
  readonly #onTerminate = () => this.#stop(exitCodes.SIGTERM);
  /** Nobody reads any more (`| head`): stop, and say nothing. */
  readonly #onOutputError = () => this.#controller.abort();

  constructor() {
    process.once("SIGINT", this.#onInterrupt);
    process.once("SIGTERM", this.#onTerminate);
    outliveBrokenPipe();
    process.stdout.once("error", this.#onOutputError);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the program should end with, when a signal came. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  release(): void {
    process.off("SIGINT", this.#onInterrupt);
    process.off("SIGTERM", this.#onTerminate);
    process.stdout.off("error", this.#onOutputError);
  }

  #stop(exitCode: number): void {
    this.#exitCode ??= exitCode;
    this.#controller.abort();
  }
}

let outlives = false;

/**
 * For as long as the process runs: the last write may fail after everything else is done, and unheard would be a crash. What went
 * wrong is told by whoever wrote (cli/standard-output.ts).
 */
function outliveBrokenPipe(): void {
  if (outlives) return;
  outlives = true;
  process.stdout.on("error", () => undefined);
}
