/**
 * Sessions from before their directory had a name of its own: oh-my-pi keeps its sessions in `sessions/`, too. Ours are copied, once,
 * and stay there as they were. Two omp that copy at the same time, and one that is killed meanwhile, leave whole files only.
 */

import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeNewFile } from "../process/new-file.ts";
import { attempt, systemCode } from "../protocol/index.ts";
import { summaryOf } from "./summary.ts";

/** Its presence says that everything was copied: a session that the user removes afterwards does not come back. */
const DONE = ".copied-from-sessions";
const OURS = /^[\d-]+T[\d-]+Z-[\da-f-]{36}\.jsonl$/;

/** @returns sessions that are still only in the earlier directory, because nothing can be written: their paths. */
export function copyEarlierSessions(earlier: string, directory: string): readonly string[] {
  const done = join(directory, DONE);
  if (existsSync(done)) return [];
  // Not there, or not for us to read.
  const names = attempt(() => readdirSync(earlier)) ?? [];
  const ours = names.filter((name) => OURS.test(name) && summaryOf(join(earlier, name)) !== undefined);
  if (ours.length === 0) return [];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of ours) copyLog(join(earlier, name), join(directory, name));
    writeFileSync(done, "", { mode: 0o600 });
    return [];
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ours.filter((name) => !existsSync(join(directory, name))).map((name) => join(earlier, name));
  }
}

function copyLog(from: string, to: string): void {
  makeNewFile(to, (aside) => {
    // Shares the blocks where the file system can.
    copyFileSync(from, aside, constants.COPYFILE_FICLONE);
    const { atime, mtime } = statSync(from);
    // The list is in this order.
    utimesSync(aside, atime, mtime);
  });
}
