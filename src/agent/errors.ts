/** Why a run cannot continue, as one line; and which of a model's errors a compaction can help with. */

import { groupDigits } from "../format/numbers.ts";
import { type AgentEvent, type Model, OmpError, type ToolCallContent } from "../protocol/index.ts";

/** The code of a ModelError. */
const CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW";

export function isOverflow(error: unknown): error is OmpError {
  return error instanceof OmpError && error.code === CONTEXT_OVERFLOW;
}

/** @param overflow what the provider said; undefined when nothing was sent. */
export function contextTooSmallError({ facts }: Model, fixedTokens: number, overflow?: OmpError): OmpError {
  const what = overflow?.issue ?? `${facts.name} has a context of ${groupDigits(facts.contextTokens)} tokens`;
  const why = `omp's instructions and tools alone take about ${groupDigits(fixedTokens)}`;
  const issue = `${what}; ${why}: use a model with a larger context, or fewer tools (--tools)`;
  return new OmpError({ operation: "model", issue, code: "CONTEXT_TOO_SMALL" });
}

export function refusalError({ facts }: Model): OmpError {
  return new OmpError({ operation: "model", issue: `${facts.name} refused to answer`, code: "REFUSED" });
}

export function repeatedCallError(turns: number, calls: readonly ToolCallContent[]): OmpError {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const issue = `stopped: the model made the same ${names} call with the same result ${turns} times in a row`;
  return new OmpError({ operation: "omp", issue, code: "REPEATED_CALL" });
}

/** What a person can act on. Anything else is a bug, and is thrown. */
export function errorEvent(error: unknown): AgentEvent {
  if (!(error instanceof OmpError)) throw error;
  return { type: "error", code: error.code, message: error.message };
}
