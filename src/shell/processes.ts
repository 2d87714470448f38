/** What runs in a session (setsid), and which of it a command started. */

import { readFileSync, readlinkSync } from "node:fs";
import { listStats, type ProcessStat } from "../process/proc.ts";
import type { Started } from "../process/started.ts";
import { attempt, systemCode } from "../protocol/index.ts";

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly name: string;
  /** In clock ticks since the machine started; 0 where that is not known. */
  readonly startedTick: number;
  /** It runs, or would if the machine had the time: it waits for nothing else, but for the disk. */
  readonly isRunnable: boolean;
}

const TICKS_PER_SECOND = 100;

/** Zombies do not count: they have ended. */
export function listProcesses(): ProcessFacts[] {
  return factsOf(listStats());
}

export function sessionMembers(session: number): ProcessFacts[] {
  return listProcesses().filter((facts) => facts.session === session);
}

/** Everything in the session of what was started, without what only keeps its sandbox; that as well while there is nothing else yet. */
export function membersOf(started: Started): ProcessFacts[] {
  const members = sessionMembers(started.group);
  return started.program === undefined ? members : members.filter(({ pid }) => !started.isSandbox(pid));
}

/**
 * Those of a shell's session that its present command started: nothing that an earlier command started. A process belongs to an
 * earlier one when it, or one above it, is a known job or is older than the command.
 * @param members of the session, without the shell. @param startedAt when the command started, on the clock of `performance.now()`.
 */
export function commandMembers(
  members: readonly ProcessFacts[],
  startedAt: number,
  earlierJobs: readonly number[],
): ProcessFacts[] {
  const byPid = new Map(members.map((facts) => [facts.pid, facts]));
  const startTick = tickNow() - Math.ceil(((performance.now() - startedAt) / 1000) * TICKS_PER_SECOND) - 1;
  const isEarlier = (facts: ProcessFacts | undefined): boolean => {
    if (facts === undefined) return false;
    if (earlierJobs.includes(facts.pid)) return true;
    if (facts.startedTick !== 0 && facts.startedTick < startTick) return true;
    return isEarlier(byPid.get(facts.parent));
  };
  return members.filter((facts) => !isEarlier(facts));
}

/** The program that a process runs; undefined when that is unknown. */
export function programOf(pid: number): string | undefined {
  return process.platform === "linux" ? attempt(() => readlinkSync(`/proc/${pid}/exe`)) : undefined;
}

function tickNow(): number {
  if (process.platform !== "linux") return 0;
  return Math.floor(Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * TICKS_PER_SECOND);
}

export function factsOf(stats: readonly ProcessStat[]): ProcessFacts[] {
  return stats.map(({ pid, parent, session, name, started, state }) => {
    return { pid, parent, session, name, startedTick: Number(started), isRunnable: isRunnable(state) };
  });
}

/** As Linux and `ps` write it, the latter with more letters after it. */
function isRunnable(state: string | undefined): boolean {
  return /^[RDU]/.test(state ?? "");
}

/** @returns false when it has already ended, or is not ours to signal. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  // 0, 1 and negatives mean "my group", init and "everybody".
  if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) {
    throw new Error(`refusing to signal process ${pid}`);
  }
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (systemCode(error) === "ESRCH" || systemCode(error) === "EPERM") return false;
    throw error;
  }
}
