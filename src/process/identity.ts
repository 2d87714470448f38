/** Whether a process runs, and whether it is still the same one: process ids are reused, a start time with them is not. */

import { systemCode } from "../protocol/index.ts";
import { hasEnded, readStat } from "./proc.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** In the kernel's own ticks; undefined on systems without /proc. */
  readonly started: string | undefined;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: readStat(pid)?.started };
}

/** True while this very process runs. One that has ended and was not waited for does not. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const stat = readStat(pid);
  if (stat === undefined) return process.platform !== "linux" && isAlive(pid);
  return !hasEnded(stat) && (started === undefined || stat.started === started);
}

/** Whether a process with this id exists, whichever it is. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists, and belongs to another user.
    return systemCode(error) !== "ESRCH";
  }
}
