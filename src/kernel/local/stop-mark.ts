/** The mark that `omp kernel stop` leaves beside a kernel, so that the kernel's own omp knows who has ended it. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../protocol/index.ts";

const FILE = "stopped";

/** @param directory the kernel's own. Without the mark the kernel only seems to have died. */
export function markStopped(directory: string): void {
  attempt(() => writeFileSync(join(directory, FILE), "", { mode: 0o600 }));
}

export function wasStopped(directory: string): boolean {
  return existsSync(join(directory, FILE));
}
