/** Where a session's Python variables are kept: beside its log. What is in the file is known to kernel/variables only. */

import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../protocol/index.ts";

/** @param log the path of the session's log. */
export function variablesPath(log: string): string {
  return log.replace(/\.jsonl$/, ".variables");
}

/** With what an omp that was killed while it wrote has left. Only for whoever holds the session's lock. */
export function removeVariables(log: string): void {
  rmSync(variablesPath(log), { force: true });
  const beginning = `${basename(variablesPath(log))}.partial-`;
  const names = attempt(() => readdirSync(dirname(log))) ?? [];
  for (const name of names.filter((each) => each.startsWith(beginning)))
    rmSync(join(dirname(log), name), { force: true });
}
