/** Where `grep`, `find` and `ls` look: a directory to stand in, what to name there, and paths on their way back. */

import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode, type ToolContext } from "../../protocol/index.ts";
import { type LocatedPath, locate, shortPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import type { FileServices } from "./file-services.ts";
import { missingFile } from "./near-names.ts";

export interface SearchPlace extends LocatedPath {
  readonly isDirectory: boolean;
  /** The directory itself, or the one that holds the file. */
  readonly directory: string;
  /** What ripgrep is told to search, seen from there. */
  readonly target: string;
  /** From ripgrep's path (`./a/b`) to one relative to the directory. */
  readonly inside: (found: string) => string;
  /** From there to what is shown: relative to the session's working directory. */
  readonly show: (inside: string) => string;
}

export async function searchPlace(
  operation: "grep" | "find" | "ls",
  requested: string | undefined,
  context: ToolContext,
  services: FileServices,
): Promise<SearchPlace> {
  const located = locate({ operation, requested: requested ?? ".", context, home: services.home });
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
    if (systemCode(error) === "ENOENT") throw await missingFile(operation, located, cwd, "file or directory");
    throw fileError(error, {
      operation,
      shown: located.shown,
      done: operation === "ls" ? "listed" : "searched",
    });
  }
}
