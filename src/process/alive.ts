/** Whether a process exists. */

import { systemCode } from "../protocol/index.ts";

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return systemCode(error) !== "ESRCH";
  }
}
