/** Directories without anything in them, which git has no place for: which there are, and which of them two snapshots do not share. */

import { type Dirent, readdirSync } from "node:fs";
import { attempt } from "../protocol/index.ts";
import type { ShadowGit } from "./shadow-git.ts";

export interface EmptyDirectoriesOptions {
  readonly index: string;
  /** Below the top; empty for all of it. */
  readonly prefix: string;
  readonly signal: AbortSignal;
}

/** Directories that git knows no file of are looked at one by one, so there must not be too many. */
const MOST_LOOKED_AT = 2_000;

/**
 * Without a slash at the end, in latin1, relative to the top; sorted. Right once the index has all new files: a directory of new files
 * alone counts as unknown to git, and what it holds may be ignored. @returns undefined where there are too many to look at.
 */
export async function emptyDirectories(
  git: ShadowGit,
  { index, prefix, signal }: EmptyDirectoriesOptions,
): Promise<readonly string[] | undefined> {
  const within = prefix === "" ? [] : ["--", prefix];
  const flags = ["-z", "--others", "--directory", "--exclude-standard"];
  const { stdout } = await git.run(["ls-files", ...flags, ...within], { index, signal });
  const named = stdout.toString("latin1").split("\0");
  const top = Buffer.from(`${git.workTree}/`).toString("latin1");
  // The project itself is there as long as omp works in it.
  const waiting = named.filter((path) => path.endsWith("/") && path.startsWith(prefix) && path !== prefix);
  const found: string[] = [];
  for (let looked = 0; ; looked += 1) {
    const path = waiting.pop();
    if (path === undefined) return found.sort();
    if (looked >= MOST_LOOKED_AT) return undefined;
    const entries = entriesOf(`${top}${path}`);
    if (entries === undefined || entries.some(({ name }) => name === ".git")) continue;
    if (entries.length === 0) found.push(path.slice(0, -1));
    for (const entry of entries) if (entry.isDirectory()) waiting.push(`${path}${entry.name}/`);
  }
}

/** Undefined where it cannot be read. */
function entriesOf(path: string): Dirent<string>[] | undefined {
  return attempt(() => readdirSync(Buffer.from(path, "latin1"), { withFileTypes: true, encoding: "latin1" }));
}

interface Emptied {
  /** Absent from snapshots of an earlier omp, and where there were too many. */
  readonly empty?: readonly string[] | undefined;
}

/** What has to be made and removed to turn the one into the other; nothing where it is not known. */
export function emptiesBetween(
  from: Emptied,
  to: Emptied,
): { readonly make: readonly string[]; readonly remove: readonly string[] } {
  if (from.empty === undefined || to.empty === undefined) return { make: [], remove: [] };
  const [before, after] = [new Set(from.empty), new Set(to.empty)];
  return {
    make: to.empty.filter((path) => !before.has(path)),
    remove: from.empty.filter((path) => !after.has(path)),
  };
}
