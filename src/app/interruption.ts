/**
 * SIGINT, SIGTERM and a reader of stdout that is gone, as one AbortSignal. Only the first of each is caught: a second Ctrl+C ends omp at
 * once, and the watchdog cleans up.
 */

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export class Interruption {
  readonly #controller = new AbortController();
  #exitCode: number | undefined;

  readonly #onInterrupt = () => this.#stop(exitCodes.SIGINT);
  readonly #onTerminate = () => this.#stop(exitCodes.SIGTERM);
  /** The reader is gone (`| head`): stop, and say nothing. */
  readonly #onOutputError = () => this.#controller.abort();

  constructor() {
    process.once("SIGINT", this.#onInterrupt);
    process.once("SIGTERM", this.#onTerminate);
    ignoreBrokenPipe();
    process.stdout.once("error", this.#onOutputError);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the program should end with, when a signal arrived. */
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

/** Listens for signals while `run` runs. */
export async function interruptible<T>(run: (interruption: Interruption) => Promise<T>): Promise<T> {
  const interruption = new Interruption();
  try {
    return await run(interruption);
  } finally {
    interruption.release();
  }
}

let isIgnored = false;

/**
 * For as long as the process runs: the last write may fail after everything else is done, and an error without a listener would be a
 * crash. Failed writes are reported in cli/standard-output.ts.
 */
function ignoreBrokenPipe(): void {
  if (isIgnored) return;
  isIgnored = true;
  process.stdout.on("error", () => undefined);
}
