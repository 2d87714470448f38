/**
 * SIGINT, SIGTERM, SIGHUP and a reader of stdout that is gone, as one AbortSignal. Only the first of each is caught: a second Ctrl+C ends omp at
 * once, and the watchdog cleans up.
 */

import { once } from "../async/once.ts";
import { ignoresHangUp } from "../process/proc.ts";

export interface Interruption {
  readonly signal: AbortSignal;
  /** What the program should end with, when a signal has arrived. */
  readonly exitCode: number | undefined;
}

/** Listens for signals while `run` runs. */
export async function interruptible<T>(run: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const listeners = caughtSignals().map(
    ([signal, code]) =>
      [
        signal,
        () => {
          exitCode ??= code;
          controller.abort();
        },
      ] as const,
  );
  /** The reader is gone (`| head`): stop, and say nothing. */
  const onOutputError = () => controller.abort();
  ignoreBrokenPipe.get();
  for (const [signal, listener] of listeners) process.once(signal, listener);
  process.stdout.once("error", onOutputError);
  try {
    return await run({
      signal: controller.signal,
      get exitCode() {
        return exitCode;
      },
    });
  } finally {
    for (const [signal, listener] of listeners) process.off(signal, listener);
    process.stdout.off("error", onOutputError);
  }
}

/** With the exit code of each. A hang-up is caught unless omp was started to survive it. */
function caughtSignals(): readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] {
  const ending = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const;
  return ignoresHangUp() ? ending : [...ending, ["SIGHUP", 129]];
}

/**
 * For as long as the process runs: the last write may fail after everything else is done, and an error without a listener would be a
 * crash. Failed writes are reported in cli/standard-output.ts.
 */
const ignoreBrokenPipe = once(() => process.stdout.on("error", () => undefined));
