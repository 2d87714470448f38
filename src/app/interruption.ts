/**
 * SIGINT, SIGTERM and a reader of stdout that is gone, as one AbortSignal. Only the first of each is caught: a second Ctrl+C ends omp at
 * once, and the watchdog cleans up.
 */

import { once } from "../async/once.ts";

export interface Interruption {
  readonly signal: AbortSignal;
  /** What the program should end with, when a signal has arrived. */
  readonly exitCode: number | undefined;
}

/** Listens for signals while `run` runs. */
export async function interruptible<T>(run: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const stopWith = (code: number) => () => {
    exitCode ??= code;
    controller.abort();
  };
  const onInterrupt = stopWith(130);
  const onTerminate = stopWith(143);
  /** The reader is gone (`| head`): stop, and say nothing. */
  const onOutputError = () => controller.abort();
  ignoreBrokenPipe.get();
  process.once("SIGINT", onInterrupt).once("SIGTERM", onTerminate);
  process.stdout.once("error", onOutputError);
  try {
    return await run({
      signal: controller.signal,
      get exitCode() {
        return exitCode;
      },
    });
  } finally {
    process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate);
    process.stdout.off("error", onOutputError);
  }
}

/**
 * For as long as the process runs: the last write may fail after everything else is done, and an error without a listener would be a
 * crash. Failed writes are reported in cli/standard-output.ts.
 */
const ignoreBrokenPipe = once(() => process.stdout.on("error", () => undefined));
