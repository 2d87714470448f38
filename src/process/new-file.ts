/** Makes a file whole or not at all, and never replaces one: two processes may make the same file at the same time, and either may be killed. */

import { randomUUID } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";

/**
 * @param write writes the file, under another name. @returns false when there is such a file already.
 * @throws what `write` and the file system throw; nothing is left then.
 */
export function makeNewFile(file: string, write: (aside: string) => void): boolean {
  if (existsSync(file)) return false;
  const aside = `${file}.${randomUUID()}.tmp`;
  try {
    write(aside);
    return giveName(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function giveName(aside: string, file: string): boolean {
  try {
    linkSync(aside, file);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // Made meanwhile. Any other problem: the file system has no links.
    if (existsSync(file)) return false;
    renameSync(aside, file);
    return true;
  }
}
