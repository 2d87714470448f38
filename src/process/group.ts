/**
 * Signals to whole process groups. Owns one rule: omp never signals its own group (a clean-up that does ends the
 * agent and the terminal's other jobs with it).
 */

import { readdirSync, readFileSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";

let ownGroup: number | undefined;

/** JavaScript has no getpgrp(): Linux tells in /proc, elsewhere `ps` is asked once. */
export function ownProcessGroup(): number {
  ownGroup ??= process.platform === "linux" ? groupFromProc() : groupFromPs();
  return ownGroup;
}

function groupFromProc(): number {
  return parseStat(readFileSync("/proc/self/stat", "utf8")).group;
}

/** "pid (command) state ppid pgrp …": the command may hold spaces and parentheses, so count from its end. */
function parseStat(stat: string): { state: string; group: number } {
  const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state, group: Number(group) };
}

function groupFromPs(): number {
  const answer = Bun.spawnSync(["ps", "-o", "pgid=", "-p", String(process.pid)]);
  return Number(answer.stdout.toString().trim());
}

/** True for a group that may be signalled: a real one (0, 1 and negatives mean "mine" or "everybody") that is not ours. */
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
    if (systemCode(error) === "ESRCH") return false;
    // EPERM: what is left of the group is not ours to signal (a setuid program); macOS says it for zombies, too.
    if (systemCode(error) === "EPERM") return false;
    throw error;
  }
}

/**
 * Whether anything in a group still runs. A signal cannot tell: it reaches zombies, too, which stay for as long as their
 * new parent does not care (a container's first process often does not). Reads all of /proc, so ask only when it matters.
 */
export function groupIsAlive(pgid: number): boolean {
  if (!killGroup(pgid, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const { state, group } = parseStat(readFileSync(`/proc/${name}/stat`, "utf8"));
      return group === pgid && state !== "Z" && state !== "X";
    } catch (error) {
      // It has ended since the listing.
      if (systemCode(error) === undefined) throw error;
      return false;
    }
  });
}
