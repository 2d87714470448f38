/** `omp gateway status|stop`: the state of the shared local gateway, and its end. */

import { interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText } from "../app/printing.ts";
import { ompPaths } from "../config/paths.ts";
import { secondsSince, spellDuration } from "../format/durations.ts";
import { count } from "../format/numbers.ts";
import type { RunningGateway } from "../kernel/gateway/shared/status.ts";
import type { StopOutcome } from "../kernel/gateway/shared/stop.ts";
import type { GatewayUser } from "../kernel/gateway/shared/users.ts";
import { errorLine, OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface GatewayAction {
  readonly name: "status" | "stop";
  readonly json?: boolean | undefined;
  /** Stop it even while it is in use. */
  readonly force?: boolean | undefined;
}

const FAILED = 1;
const NOT_RUNNING = "The shared gateway is not running.\n";

/** The exit code: 0, or 1 when the gateway is in use or cannot be stopped. */
export async function runGateway(action: GatewayAction, io: CommandIo, { env }: Invocation): Promise<number> {
  const directory = ompPaths({ env }).pythonGateway;
  return await interruptible(async (interruption) => {
    const { signal } = interruption;
    try {
      if (action.name === "stop") return await stop(directory, action, io, signal);
      const { gatewayStatus } = await import("../kernel/gateway/shared/status.ts");
      const status = await gatewayStatus(directory);
      io.stdout(action.json ? jsonText(statusFields(status)) : statusText(status));
      return 0;
    } catch (error) {
      if (signal.aborted) return interruption.exitCode ?? FAILED;
      if (!(error instanceof OmpError)) throw error;
      io.stderr(`${errorLine({ ...error, operation: "gateway" })}\n`);
      return FAILED;
    }
  });
}

async function stop(
  directory: string,
  { force = false, json }: GatewayAction,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const { stopGateway } = await import("../kernel/gateway/shared/stop.ts");
  const outcome = await stopGateway({ directory, force, signal });
  io.stdout(json ? jsonText(stopFields(outcome)) : stopText(outcome));
  if (outcome.kind !== "in-use") return 0;
  const issue = `${userNames(outcome.users)} is still using the shared gateway (pid ${outcome.pid}); quit that first, or stop the gateway and its kernels: omp gateway stop --force`;
  io.stderr(`${errorLine({ operation: "gateway", issue, code: "IN_USE" })}\n`);
  return FAILED;
}

function stopText(outcome: StopOutcome): string {
  if (outcome.kind === "in-use") return "";
  if (outcome.kind === "not-running") return NOT_RUNNING;
  const taken = outcome.users.length === 0 ? "" : ` It was in use by ${userNames(outcome.users)}.`;
  return `Stopped the shared gateway (pid ${outcome.pid}).${taken}\n`;
}

function stopFields(outcome: StopOutcome) {
  const { pid, users } = outcome.kind === "not-running" ? { pid: null, users: [] } : outcome;
  return { outcome: outcome.kind, pid, users: users.map(userFields) };
}

function userFields({ pid, since, kernels }: GatewayUser) {
  return { pid, since, kernels };
}

function userNames(users: readonly GatewayUser[]): string {
  const pids = [...new Set(users.map(({ pid }) => pid))];
  return pids.length === 1 ? `omp (pid ${pids[0]})` : `${pids.length} omp (pids ${pids.join(", ")})`;
}

function statusFields(status: RunningGateway | undefined) {
  if (status === undefined) return { running: false };
  const { record, isElsewhere, problem, users, kernels } = status;
  return {
    running: true,
    healthy: problem === undefined,
    problem: problem ?? null,
    pid: record.pid,
    host: record.host,
    elsewhere: isElsewhere,
    url: record.url,
    python: record.python,
    started_at: record.startedAt,
    uptime_seconds: secondsSince(record.startedAt),
    users: users.map(userFields),
    kernels: kernels.map(({ id, name, state, lastActivity }) => ({
      id,
      name,
      state,
      last_activity: lastActivity,
    })),
  };
}

function statusText(status: RunningGateway | undefined): string {
  if (status === undefined) return NOT_RUNNING;
  const { record, isElsewhere, problem, users, kernels } = status;
  const lines = [
    `gateway  ${record.url}, pid ${record.pid}${isElsewhere ? ` on ${record.host}` : ""}`,
    ...(problem === undefined ? [] : [`problem  ${problem}; to replace it: omp gateway stop --force`]),
    `python   ${record.python}`,
    `up       ${spellDuration(1_000 * secondsSince(record.startedAt))}`,
  ];
  if (!isElsewhere) {
    lines.push(`users    ${users.length}`);
    for (const { pid, since, kernels: ids } of users) {
      const duration = spellDuration(1_000 * secondsSince(since));
      lines.push(`         pid ${pid}, for ${duration}, ${count(ids.length, "kernel")}`);
    }
    lines.push(`kernels  ${kernels.length}`);
    for (const { id, name, state } of kernels) lines.push(`         ${id.slice(0, 8)}  ${name}  ${state}`);
  }
  return `${lines.join("\n")}\n`;
}
