/** Which process, beyond its number: numbers are given away again, a start time with them is not. */

import { readFileSync } from "node:fs";
import { isAlive } from "./alive.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** In the kernel's own ticks; undefined where /proc does not say. */
  readonly started: string | undefined;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: statOf(pid)?.started };
}

/** True while this very process runs. One that has ended and was not waited for yet does not. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const stat = statOf(pid);
  if (stat === undefined) return process.platform !== "linux" && isAlive(pid);
  if (stat.state === "Z" || stat.state === "X") return false;
  return started === undefined || stat.started === started;
}

function statOf(pid: number): { state: string; started: string | undefined } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has ended, or this system has no /proc.
    return undefined;
  }
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", started: fields[19] };
}
