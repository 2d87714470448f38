/** Names that may have been meant by a path that does not exist. */

import { readdir, readlink, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { editDistance } from "../../format/nearest.ts";
import { ignoreSystemError } from "../../protocol/index.ts";
import { type LocatedPath, shortPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";

const MOST_NAMES = 3;
/** A directory with more entries is not compared name by name. */
const MOST_ENTRIES = 20_000;

/** The error for a path that does not exist, with what is nearest to it. */
export async function missingFileError(
  operation: string,
  { path, shown }: LocatedPath,
  cwd: string,
  what: "file" | "file or directory" | "directory" = "file",
): Promise<ToolError> {
  const missing = await firstMissing(path);
  const target = await readlink(missing).catch(ignoreSystemError);
  if (target !== undefined) {
    const issue = `'${shortPath(missing, cwd)}' is a link to '${target}', which does not exist`;
    return new ToolError({ operation, issue, code: "ENOENT" });
  }
  const parent = dirname(missing);
  const near = await findNearNames(parent, basename(missing));
  const named = near.map((name) => `'${shortPath(join(parent, name), cwd)}'`).join(", ");
  const where = missing === path ? "" : `: there is no '${shortPath(missing, cwd)}'`;
  const hint = named === "" ? "" : `; did you mean ${named}?`;
  const issue = `no such ${what} '${shown}'${where}${hint}`;
  return new ToolError({ operation, issue, code: "ENOENT" });
}

/** The first part of the path that does not exist. */
async function firstMissing(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path || (await stat(parent).catch(ignoreSystemError)) !== undefined) return path;
  return firstMissing(parent);
}

async function findNearNames(directory: string, wanted: string): Promise<string[]> {
  // A directory that may not be listed has no names to offer; the caller reports what is wrong with the path itself.
  const names = (await readdir(directory).catch(ignoreSystemError)) ?? [];
  if (names.length > MOST_ENTRIES) return [];
  return names
    .map((name) => ({ name, distance: nameDistance(name, wanted) }))
    .filter(({ distance }) => distance <= Math.max(1, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ name }) => name);
}

/** 0 for names that only look different (case, Unicode form); a half for the same name with another ending. */
function nameDistance(name: string, wanted: string): number {
  const [a, b] = [plain(name), plain(wanted)];
  if (a === b) return 0;
  if (stem(a) === stem(b) && stem(a).length > 1) return 0.5;
  return Math.abs(a.length - b.length) > 8 ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

function plain(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function stem(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot === -1 ? name : name.slice(0, dot);
}
