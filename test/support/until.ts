/** Waits for a condition instead of for a fixed time. */

import { Waiting, waitLimitMs } from "./limits.ts";

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;
/** A condition that is expensive to check, such as one about all processes, is checked less often. */
const PAUSE_PER_CHECK = 5;

export interface UntilOptions {
  /** What is there instead, for the error of a wait that fails. */
  readonly instead?: () => unknown;
  readonly limitMs?: number;
}

/**
 * Resolves with the first value that is neither false nor undefined. At the time limit it fails and says what it waited for and what
 * it found instead; without `instead` it shows the condition itself.
 */
export async function until<T>(
  what: string,
  ask: () => T | false | undefined,
  { instead, limitMs = waitLimitMs() }: UntilOptions = {},
): Promise<T> {
  const waiting = new Waiting(until);
  const end = performance.now() + limitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const askedAt = performance.now();
    const answer = ask();
    if (answer !== false && answer !== undefined) return answer;
    if (performance.now() > end) {
      const found = instead === undefined ? `${ask}` : Bun.inspect(instead());
      throw waiting.error(`still waiting until ${what}; ${instead ? "found" : "the condition is"}: ${found}`);
    }
    await Bun.sleep(Math.max(pauseMs, PAUSE_PER_CHECK * (performance.now() - askedAt)));
  }
}
