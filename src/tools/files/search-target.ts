/** What `grep`, `find` and `ls` share: the directory they look in, and how much of a list fits into a result. */

import { stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ignoreSystemError, systemCode, type ToolContext } from "../../protocol/index.ts";
import { type LocatedPath, locate, shortPath } from "../paths.ts";
import type { SearchOutcome } from "../ripgrep.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import type { FileServices } from "./file-services.ts";
import { missingFileError } from "./near-names.ts";
import { checkVisible } from "./visible.ts";

export interface SearchTarget extends LocatedPath {
  readonly isDirectory: boolean;
  /** The directory itself, or the one that holds the file. */
  readonly directory: string;
  /** What ripgrep searches, relative to that directory. */
  readonly target: string;
  /** From ripgrep's path (`./a/b`) to one relative to the directory. */
  readonly inside: (found: string) => string;
  /** From that to the path that is shown: relative to the session's working directory. */
  readonly show: (inside: string) => string;
}

export async function openSearchTarget(
  operation: "grep" | "find" | "ls",
  requested: string | undefined,
  context: ToolContext,
  services: FileServices,
): Promise<SearchTarget> {
  const located = locate({ operation, requested: requested ?? ".", context, home: services.home });
  const done = operation === "ls" ? "listed" : "searched";
  checkVisible({ operation, context, done }, located);
  const isDirectory = await checkDirectory(operation, located, context.cwd);
  const directory = isDirectory ? located.path : dirname(located.path);
  const prefix = shortPath(directory, context.cwd);
  return {
    ...located,
    isDirectory,
    directory,
    target: isDirectory ? "./" : `./${basename(located.path)}`,
    inside: (found) => found.replace(/^\.\//, ""),
    show: (inside) => (prefix === "." ? inside : join(prefix, inside)),
  };
}

async function checkDirectory(operation: string, located: LocatedPath, cwd: string): Promise<boolean> {
  try {
    const stats = await stat(located.path);
    // A search in a pipe or a device would never end.
    if (!stats.isDirectory() && !stats.isFile()) {
      const issue = `'${located.shown}' is neither a file nor a directory`;
      throw new ToolError({ operation, issue, code: "EINVAL" });
    }
    return stats.isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT")
      throw await missingFileError(operation, located, cwd, "file or directory");
    throw fileError(error, {
      operation,
      shown: located.shown,
      done: operation === "ls" ? "listed" : "searched",
    });
  }
}

export interface NamedPath {
  readonly path: string;
  /** Relative to the searched directory. */
  readonly inside: string;
  readonly isDirectory: boolean;
}

/**
 * What a glob with a slash names when it is read as a path: `app/[id]/page.tsx` means that file where it exists, also an ignored
 * one. A name alone means files at any depth.
 */
export async function namedIn(
  { isDirectory, directory }: SearchTarget,
  glob: string,
): Promise<NamedPath | undefined> {
  if (!isDirectory || !glob.includes("/")) return undefined;
  const path = join(directory, glob);
  const stats = await stat(path).catch(ignoreSystemError);
  if (stats === undefined || !(stats.isFile() || stats.isDirectory())) return undefined;
  return { path, inside: relative(directory, path), isDirectory: stats.isDirectory() };
}

/** Most characters of a list that the model is shown. */
export const MAX_LIST_CHARS = 30_000;

/** As many lines from the start as fit into a result. */
export function fittingLines(lines: readonly string[]): string[] {
  let chars = 0;
  const end = lines.findIndex((line) => {
    chars += line.length + 1;
    return chars > MAX_LIST_CHARS;
  });
  return end === -1 ? [...lines] : lines.slice(0, end);
}

/** The text of a search's result: what was found, notes in brackets, and a timeout in a line of its own. */
export function searchText(
  found: string,
  { nothing, notes, outcome }: { nothing: string; notes: readonly string[]; outcome: SearchOutcome },
): string {
  const { timedOut, notice } = outcome;
  const all = [...notes, ...(timedOut || notice === undefined ? [] : [notice])];
  return [
    found === "" && !timedOut ? nothing : found,
    all.length > 0 ? `[${all.join("; ")}]` : "",
    timedOut ? (notice ?? "") : "",
  ]
    .filter((part) => part !== "")
    .join("\n");
}
