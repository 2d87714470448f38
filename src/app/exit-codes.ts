/** What a run with a model ends with. The numbers are part of the contract. */

import type { OmpError, RunStatus } from "../protocol/index.ts";

/** A run's own status, or `denied`: the model gave up after a call that was not allowed. */
export type HeadlessStatus = RunStatus | "denied";

export const exitCodes: Readonly<Record<HeadlessStatus, number>> = {
  done: 0,
  failed: 1,
  denied: 4,
  turn_limit: 5,
  interrupted: 130,
};

const BAD_INPUT = 2;
const NO_USABLE_MODEL = 3;

/** Of what stopped omp before the first request. Whatever is not named here is bad usage, bad settings or bad input. */
const codesBeforeTheRun: Readonly<Record<string, number>> = {
  NO_MODEL: NO_USABLE_MODEL,
  AUTH: NO_USABLE_MODEL,
  // No provider serves the name. What a provider itself does not know fails the run instead.
  UNKNOWN_MODEL: NO_USABLE_MODEL,
};

export function exitCodeOf(error: OmpError): number {
  if ("kind" in error && error.kind === "unwritable") return exitCodes.failed;
  return codesBeforeTheRun[error.code] ?? BAD_INPUT;
}
