/** `omp gateway status|stop`: the shared local gateway, seen and ended. */

import { Interruption } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { ompPaths } from "../config/paths.ts";
import { secondsSince, spellDuration } from "../format/durations.ts";
import { count } from "../format/numbers.ts";
import type { RunningGateway } from "../kernel/gateway/shared/status.ts";
import type { StopOutcome } from "../kernel/gateway/shared/stop.ts";
import type { GatewayUser } from "../kernel/gateway/shared/users.ts";
import { errorLine, OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export type GatewayAction =
  | { readonly name: "status"; readonly json?: boolean | undefined }
  | { readonly name: "stop"; readonly force?: boolean | undefined; readonly json?: boolean | undefined };

const FAILED = 1;

/** The exit code: 0, or 1 when the gateway is still used or cannot be ended. */
export async function runGateway(action: GatewayAction, io: CommandIo, place: Invocation): Promise<number> {
  const directory = ompPaths({ env: place.env }).pythonGateway;
  const interruption = new Interruption();
  try {
    if (action.name === "status") {
      const { gatewayStatus } = await import("../kernel/gateway/shared/status.ts");
      const status = await gatewayStatus(directory);
      io.stdout(action.json ? jsonText(statusFields(status)) : statusText(status));
      return 0;
    }
    const { stopGateway } = await import("../kernel/gateway/shared/stop.ts");
    const force = action.force ?? false;
    const outcome = await stopGateway({ directory, force, signal: interruption.signal });
    io.stdout(action.json ? jsonText(stopFields(outcome)) : stopText(outcome));
    if (outcome.kind !== "in-use") return 0;
    io.stderr(`${errorLine({ operation: "gateway", issue: refusal(outcome), code: "IN_USE" })}\n`);
    return FAILED;
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode ?? FAILED;
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${errorLine({ ...error, operation: "gateway" })}\n`);
    return FAILED;
  } finally {
    interruption.release();
  }
}

function stopText(outcome: StopOutcome): string {
  switch (outcome.kind) {
    case "not-running":
      return "The shared gateway is not running.\n";
    case "stopped": {
      const taken = outcome.users.length === 0 ? "" : ` It was taken from ${people(outcome.users)}.`;
      return `Stopped the shared gateway (pid ${outcome.pid}).${taken}\n`;
    }
    case "in-use":
      return "";
  }
}

function refusal({ pid, users }: Extract<StopOutcome, { kind: "in-use" }>): string {
  return `${people(users)} still uses the shared gateway (pid ${pid}); end that first, or take it away with its kernels: omp gateway stop --force`;
}

function stopFields(outcome: StopOutcome) {
  const { pid, users } = outcome.kind === "not-running" ? { pid: null, users: [] } : outcome;
  return { outcome: outcome.kind, pid, users: users.map(userFields) };
}

function userFields({ pid, since, kernels }: GatewayUser) {
  return { pid, since, kernels };
}

function jsonText(fields: object): string {
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

function people(users: readonly GatewayUser[]): string {
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
  if (status === undefined) return "The shared gateway is not running.\n";
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
      lines.push(
        `         pid ${pid}, for ${spellDuration(1_000 * secondsSince(since))}, ${count(ids.length, "kernel")}`,
      );
    }
    lines.push(`kernels  ${kernels.length}`);
    for (const { id, name, state } of kernels) lines.push(`         ${id.slice(0, 8)}  ${name}  ${state}`);
  }
  return `${lines.join("\n")}\n`;
}
