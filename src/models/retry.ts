/** Repeats a turn that failed for a temporary reason, and reports each retry. */

import { sleep } from "../async/sleep.ts";
import { formatLimit } from "../format/durations.ts";
import type { ModelEvent } from "../protocol/model.ts";
import { ModelError } from "./errors.ts";
import { classifyFailure, type Service } from "./failure.ts";

export interface RetryPolicy {
  /** Most attempts at a turn, including the first. */
  readonly attempts: number;
  /** Wait before the second attempt; doubles after that. */
  readonly baseDelayMs: number;
  /** If a provider asks for a longer wait than this, the turn fails. */
  readonly maxDelayMs: number;
  /** From 0 to 1: spreads out the attempts of programs that failed together. */
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseDelayMs: 1_000,
  maxDelayMs: 60_000,
  random: Math.random,
  sleep,
};

/**
 * The events of the first attempt that succeeds. Deltas of a failed attempt have already been passed on: the `retry` event means
 * that the consumer discards everything since the turn started. No tool has run yet, since tools run after `finish`.
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
      const { error, retryable, maxAttempts, retryAfterMs } = classifyFailure(thrown, service);
      if (!retryable) throw error;
      if (retryAfterMs !== undefined && retryAfterMs > policy.maxDelayMs)
        throw extendIssue(
          error,
          `; it asks omp to wait ${formatLimit(1_000 * Math.ceil(retryAfterMs / 1_000))}`,
        );
      const attempts = Math.min(policy.attempts, maxAttempts);
      if (made >= attempts) throw made === 1 ? error : extendIssue(error, ` (tried ${made} times)`);
      const delayMs = Math.round(retryAfterMs ?? backOff(made, policy));
      yield { type: "retry", attempt: made, attempts, delayMs, reason: error.issue };
      await policy.sleep(delayMs, signal);
    }
  }
}

function backOff(made: number, { baseDelayMs, maxDelayMs, random }: RetryPolicy): number {
  const full = Math.min(maxDelayMs, baseDelayMs * 2 ** (made - 1));
  return full * (0.75 + random() / 2);
}

function extendIssue({ kind, issue, status, cause }: ModelError, suffix: string): ModelError {
  return new ModelError({ kind, issue: `${issue}${suffix}`, status, cause });
}
