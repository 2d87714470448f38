/** The state of the shared gateway, found out without changing anything. */

import { askHealth, askKernels, type RunningKernel } from "./health.ts";
import { type GatewayRecord, readRecord, recordState } from "./record.ts";
import { type GatewayUser, livingUsers } from "./users.ts";

export interface RunningGateway {
  readonly record: GatewayRecord;
  /** It runs on another machine with the same home; only that one knows more. */
  readonly isElsewhere: boolean;
  /** Why it does not work; undefined when it does. */
  readonly problem: string | undefined;
  readonly users: readonly GatewayUser[];
  readonly kernels: readonly RunningKernel[];
}

/** Undefined when none runs. */
export async function gatewayStatus(directory: string): Promise<RunningGateway | undefined> {
  const record = readRecord(directory);
  if (record === undefined) return undefined;
  const state = recordState(directory, record);
  if (state === "gone") return undefined;
  const isElsewhere = state === "elsewhere";
  if (isElsewhere) return { record, isElsewhere, problem: undefined, users: [], kernels: [] };
  const health = await askHealth(record);
  return {
    record,
    isElsewhere,
    problem: { healthy: undefined, silent: "it does not answer", wrong: "why" in health ? health.why : "" }[
      health.state
    ],
    users: livingUsers(directory),
    kernels: (await askKernels(record)) ?? [],
  };
}
