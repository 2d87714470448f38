/** `omp gateway stop`: ends the shared gateway and removes its files. */

import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../../protocol/index.ts";
import { endGateway, removeLeftRuns } from "./end-gateway.ts";
import { explainError, otherHostError } from "./errors.ts";
import { withGatewayLock } from "./lock.ts";
import { type GatewayRecord, readRecord, recordState, unpublish } from "./record.ts";
import { type GatewayUser, livingUsers, removeDeadUsers, usersDirectory } from "./users.ts";

export interface StopOptions {
  readonly directory: string;
  /** Even when it is in use. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

export type StopOutcome =
  | { readonly kind: "not-running" }
  | { readonly kind: "in-use"; readonly pid: number; readonly users: readonly GatewayUser[] }
  /** `users`: those that were still using it. */
  | { readonly kind: "stopped"; readonly pid: number; readonly users: readonly GatewayUser[] };

/** Throws KernelError. */
export async function stopGateway({ directory, force, signal }: StopOptions): Promise<StopOutcome> {
  if (!existsSync(directory)) return { kind: "not-running" };
  try {
    return await withGatewayLock({ directory, signal }, async () => {
      const outcome = await stopLocked(directory, force);
      if (outcome.kind !== "in-use" && livingUsers(directory).length === 0) removeAll(directory);
      return outcome;
    });
  } catch (error) {
    throw explainError(error, directory);
  }
}

async function stopLocked(directory: string, force: boolean): Promise<StopOutcome> {
  const record = runningRecord(directory);
  // From here on no new user finds it: those that are not listed now will see no gateway.
  const unpublished = unpublish(directory);
  if (record === undefined) {
    unpublished.remove();
    return { kind: "not-running" };
  }
  const { pid } = record;
  const users = livingUsers(directory);
  if (users.length > 0 && !force) {
    unpublished.putBack();
    return { kind: "in-use", pid, users };
  }
  unpublished.remove();
  await endGateway(record);
  return { kind: "stopped", pid, users };
}

function runningRecord(directory: string): GatewayRecord | undefined {
  const record = readRecord(directory);
  const state = record && recordState(directory, record);
  if (record && state === "elsewhere") throw otherHostError(record);
  return state === "running" ? record : undefined;
}

/** The lock is removed, too: a process that waits for it notices that, and makes a new one. */
function removeAll(directory: string): void {
  removeLeftRuns(directory);
  for (const name of readdirSync(directory)) {
    if (name.startsWith("gateway.")) rmSync(join(directory, name), { force: true });
  }
  removeDeadUsers(directory);
  removeEmpty(usersDirectory(directory));
  removeEmpty(directory);
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    // A new user has registered meanwhile, and needs it.
    if (systemCode(error) !== "ENOTEMPTY" && systemCode(error) !== "ENOENT") throw error;
  }
}
