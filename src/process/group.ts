/**
 * Signals to whole process groups. Owns one rule: omp never signals its own group, which would end the agent and the
 * terminal's other jobs.
 */

import { systemCode } from "../protocol/index.ts";
import { listStats, readStat } from "./proc.ts";

let ownGroup: number | undefined;

/** JavaScript has no getpgrp(): Linux has it in /proc, elsewhere `ps` is asked once. */
export function ownProcessGroup(): number {
  ownGroup ??= readStat("self")?.group ?? groupFromPs();
  return ownGroup;
}

function groupFromPs(): number {
  const answer = Bun.spawnSync(["ps", "-o", "pgid=", "-p", String(process.pid)]);
  return Number(answer.stdout.toString().trim());
}

/** True for a group that may be signalled: a real one (0, 1 and negative numbers mean "my group" or "every process") that is not ours. */
export function isForeignGroup(pgid: number): boolean {
  return Number.isSafeInteger(pgid) && pgid > 1 && pgid !== process.pid && pgid !== ownProcessGroup();
}

/**
 * Sends a signal to every process of a group; 0 only asks whether it exists.
 * @returns false when the group is already gone.
 */
export function killGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  if (!isForeignGroup(pgid)) throw new Error(`refusing to signal process group ${pgid}`);
  try {
    process.kill(-pgid, signal);
    return true;
  } catch (error) {
    // EPERM: what is left of the group is not ours to signal (a setuid program). macOS reports it for zombies as well.
    if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
    return false;
  }
}

/**
 * Whether anything in a group still runs. A signal cannot answer that: it also reaches zombies, which stay until their new
 * parent waits for them (a container's first process often does not). Reads all of /proc, so ask only when it matters.
 */
export function groupIsAlive(pgid: number): boolean {
  if (!killGroup(pgid, 0)) return false;
  return process.platform !== "linux" || listStats().some(({ group }) => group === pgid);
}
