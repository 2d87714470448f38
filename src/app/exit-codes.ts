/** The exit codes of omp, which scripts rely on. */

import { OmpError, type RunStatus } from "../protocol/index.ts";
import type { CommandIo } from "./io.ts";

/** A run's own status, or `denied`: the model gave up after a call that was not allowed; or the limit that stopped it. */
export type HeadlessStatus = RunStatus | "denied" | "cost_limit" | "time_limit";

export const exitCodes: Readonly<Record<HeadlessStatus, number>> = {
  done: 0,
  failed: 1,
  denied: 4,
  turn_limit: 5,
  repeated_call: 5,
  cost_limit: 6,
  time_limit: 6,
  interrupted: 130,
};

const BAD_INPUT = 2;
const NO_USABLE_MODEL = 3;

/** UNKNOWN_MODEL: no provider serves the name. A model that only the provider does not know fails the run instead. */
const modelErrors = ["NO_MODEL", "AUTH", "UNKNOWN_MODEL"];

/** Of an error that stops omp before the first request: what is not about the model is bad usage, bad settings or bad input. */
export function exitCodeOf(error: OmpError): number {
  if ("kind" in error && error.kind === "unwritable") return exitCodes.failed;
  return modelErrors.includes(error.code) ? NO_USABLE_MODEL : BAD_INPUT;
}

/** Prints an error for people as its one line. Anything else that is thrown is a bug, and passes. */
export async function withErrorLine(
  io: Pick<CommandIo, "stderr">,
  run: () => Promise<number>,
  codeOf: (error: OmpError) => number = exitCodeOf,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${error.message}\n`);
    return codeOf(error);
  }
}
