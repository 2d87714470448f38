/**
 * How long tests and waits may take here: scripts/lib/test-limits.mjs has the numbers, OMP_TEST_LOAD the factor for a busy machine.
 * A test that truly takes longer says so with `slow`, where it is.
 */

import { setDefaultTimeout } from "bun:test";
import { parseLoadFactor, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../scripts/lib/test-limits.mjs";

const factor = parseLoadFactor(process.env["OMP_TEST_LOAD"] ?? "1");
let longestTestMs = TEST_LIMIT_MS;

/**
 * The limit of a slow test: `test(name, body, slow(60, "starts 200 kernels"))`. The seconds are those of an idle machine. Waits in the
 * same file may take longer, too.
 */
export function slow(seconds: number, _reason: string): number {
  longestTestMs = Math.max(longestTestMs, seconds * 1000);
  return seconds * 1000 * factor;
}

/** The limit of every test of a file, or of every file that imports a helper that needs the time. */
export function slowFile(seconds: number, reason: string): void {
  setDefaultTimeout(slow(seconds, reason));
}

/** The longest that a single wait in this file may take. */
export function waitLimitMs(): number {
  return longestTestMs * (WAIT_LIMIT_MS / TEST_LIMIT_MS) * factor;
}

/** A little less than the longest test in this file may take: for a whole run of a program, which is most of a test. */
export function runLimitMs(): number {
  return longestTestMs * 0.9 * factor;
}

/** Resolves or rejects as the promise does; when it does neither within the limit, fails with the reason given then. */
export async function withinLimit<T>(promise: Promise<T>, limitMs: number, reason: () => string): Promise<T> {
  const waiting = new Waiting(withinLimit);
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(waiting.error(reason())), limitMs);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** A wait that may fail: its error names the time that it took and points to the line of the test that waits. */
export class Waiting {
  readonly #error = new Error();
  readonly #startedAt = performance.now();

  /** @param caller the function that waits: the line is the one that called it. */
  constructor(caller: (...args: never[]) => unknown) {
    Error.captureStackTrace(this.#error, caller);
  }

  error(reason: string): Error {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    this.#error.message = `after ${seconds.toFixed(1)} s ${reason}`;
    return this.#error;
  }
}
