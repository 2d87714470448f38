/** Small files that several processes of one user read, replace and remove at any moment. */

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { attempt } from "../protocol/index.ts";
import { isRecord, parseJson } from "../protocol/record.ts";

/** The names in a directory; none when it is missing, unreadable or removed meanwhile. */
export function namesIn(directory: string): string[] {
  return attempt(() => readdirSync(directory)) ?? [];
}

/** The object in a JSON file; undefined when it is missing, unreadable or holds anything else. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(attempt(() => readFileSync(path, "utf8")) ?? "");
  return isRecord(value) ? value : undefined;
}

/** Readers see the old content or the new, never a part of it. Throws the system's error and leaves the old file then. */
export function replaceJsonFile(path: string, value: object): void {
  const aside = `${path}.new`;
  try {
    writeFileSync(aside, JSON.stringify(value), { mode: 0o600 });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

const TAIL_BYTES = 8192;

/** The last few KB of a log, however large it is; empty when there is none. */
export function readTail(path: string): string {
  // The kernel can write the directory, too: a link there would show it what only omp may read.
  const file = attempt(() =>
    openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  );
  if (file === undefined) return "";
  try {
    const stat = fstatSync(file);
    const size = stat.isFile() ? stat.size : 0;
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    if (size > 0) readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8").trim();
  } finally {
    closeSync(file);
  }
}
