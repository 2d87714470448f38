/** What the code of one call may ask for, and the errors of what goes beyond. */

import { formatDollars } from "../format/numbers.ts";
import { errorLine, OmpError, type Usage } from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";

export interface BridgeLimits {
  /** Calls that the code of one call may make. */
  readonly maxCalls: number;
  /** How many of them run at a time; the others wait. */
  readonly maxConcurrency: number;
  /** Calls within calls within calls. */
  readonly maxDepth: number;
  /** What models may cost that the code of one call asks. */
  readonly maxCostUsd: number;
}

/** An answer that the code gets as `omp.ToolError`. */
export function refusal(operation: string, issue: string, code: string): UnknownRecord {
  return { error: errorLine({ operation, issue, code }), details: { success: false, code } };
}

/** The call was ended, or not begun, because its cell is over. */
export function cancelled(operation: string): UnknownRecord {
  return { ...refusal(operation, "the cell was interrupted, or has ended", "CANCELLED"), cancelled: true };
}

export function limitRefusal(operation: string, issue: string, setting: string): UnknownRecord {
  return refusal(operation, `${issue} (setting ${setting})`, LIMIT_CODE);
}

const LIMIT_CODE = "BRIDGE_LIMIT";

/**
 * What the models cost that the code of one call asks: by itself, by the calls that it makes, and by the subagents that it has started,
 * which may outlive it.
 */
export class Spending {
  readonly #limitUsd: number;
  #costUsd = 0;

  constructor(limitUsd: number) {
    this.#limitUsd = limitUsd;
  }

  /** A model without a known price cannot be counted. */
  add(usage: Usage | undefined): void {
    this.#costUsd += usage?.costUsd ?? 0;
  }

  /** Why nothing more may be asked of a model; undefined while there is money left. */
  refusal(operation: string): OmpError | undefined {
    if (this.#costUsd < this.#limitUsd) return undefined;
    const issue = `what this call's code asked of models has cost ${formatDollars(this.#costUsd)}, which is the limit (setting bridge.maxCostUsd)`;
    return new OmpError({ operation, issue, code: LIMIT_CODE });
  }
}
