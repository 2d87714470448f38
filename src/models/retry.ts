/** Runs a turn again when it failed in a way that passes, and says so first. */

import { sleep } from "../async/sleep.ts";
import type { ModelEvent } from "../protocol/model.ts";
import { ModelError } from "./errors.ts";
import { failureOf, type Service } from "./failure.ts";

export interface RetryPolicy {
  /** How often a turn is tried at most, the first time included. */
  readonly attempts: number;
  /** Before the second attempt; doubles from then on. */
  readonly baseDelayMs: number;
  /** A provider that asks for a longer wait than this is not waited for. */
  readonly maxDelayMs: number;
  /** From 0 to 1: spreads the attempts of programs that failed together. */
  readonly random: () => number;
  /** Ends early when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseDelayMs: 1_000,
  maxDelayMs: 60_000,
  random: Math.random,
  sleep,
};

/** A provider that cannot be reached at all is given up sooner than one that is busy. */
const attemptsToReach = 3;

/**
 * The events of the first attempt that succeeds. Deltas of an attempt that broke off have been passed on by then: the `retry`
 * event tells the consumer to forget everything since the turn began. No tool has run, since tools run after `finish`.
 */
export async function* withRetry(
  attempt: () => AsyncIterable<ModelEvent>,
  { policy, service, signal }: { policy: RetryPolicy; service: Service; signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  for (let made = 1; ; made += 1) {
    signal.throwIfAborted();
    try {
      yield* attempt();
      return;
    } catch (thrown) {
      signal.throwIfAborted();
      const { error, retryable, retryAfterMs } = failureOf(thrown, service);
      const most =
        error.kind === "unreachable" ? Math.min(policy.attempts, attemptsToReach) : policy.attempts;
      if (!retryable) throw error;
      if (retryAfterMs !== undefined && retryAfterMs > policy.maxDelayMs) throw tooLong(error, retryAfterMs);
      if (made >= most) throw most === 1 ? error : inVain(error, made);
      const delayMs = Math.round(retryAfterMs ?? backOff(made, policy));
      yield { type: "retry", attempt: made, delayMs, reason: error.issue };
      await policy.sleep(delayMs, signal);
    }
  }
}

function backOff(made: number, { baseDelayMs, maxDelayMs, random }: RetryPolicy): number {
  const full = Math.min(maxDelayMs, baseDelayMs * 2 ** (made - 1));
  return full * (0.75 + random() / 2);
}

function inVain({ kind, issue, status, cause }: ModelError, made: number): ModelError {
  return new ModelError({ kind, issue: `${issue} (tried ${made} times)`, status, cause });
}

function tooLong({ kind, issue, status, cause }: ModelError, retryAfterMs: number): ModelError {
  const wait = `${Math.ceil(retryAfterMs / 1_000)} seconds`;
  return new ModelError({ kind, issue: `${issue}; it asks to wait ${wait}`, status, cause });
}
