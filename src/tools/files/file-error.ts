/** What the system says about a file, in one line that a model can act on. */

import { systemCode } from "../../protocol/index.ts";
import { ToolError } from "../tool-error.ts";

export interface FileTrouble {
  readonly operation: string;
  /** The path as the result shows it. */
  readonly shown: string;
  /** Completes "cannot be …". */
  readonly done: "read" | "written" | "listed" | "searched";
}

const issues: Readonly<Record<string, (shown: string, done: string) => string>> = {
  ENOENT: (shown) => `no such file '${shown}'`,
  ENOTDIR: (shown) => `a part of the path '${shown}' is a file, not a directory`,
  EEXIST: (shown) => `a part of the path '${shown}' is a file, not a directory`,
  EISDIR: (shown) => `'${shown}' is a directory`,
  EACCES: (shown, done) => `'${shown}' cannot be ${done}: permission denied`,
  EPERM: (shown, done) => `'${shown}' cannot be ${done}: permission denied`,
  EROFS: (shown) => `'${shown}' is on a read-only file system`,
  ENOSPC: (shown) => `no space left on the disk for '${shown}'`,
  EDQUOT: (shown) => `the disk quota has no room for '${shown}'`,
  ELOOP: (shown) => `'${shown}' goes through a loop of links`,
  ENAMETOOLONG: (shown) => `the path '${shortened(shown)}' is too long`,
};

/** What to throw for a thrown value: a line for trouble with the system, the value itself for a bug. */
export function fileError(error: unknown, { operation, shown, done }: FileTrouble): unknown {
  if (error instanceof ToolError) return error;
  const code = systemCode(error);
  if (code === undefined || code.startsWith("ERR_")) return error;
  const issue = issues[code]?.(shown, done) ?? `'${shown}' cannot be ${done}`;
  return new ToolError({ operation, issue, code }, { cause: error });
}

function shortened(path: string): string {
  return path.length > 100 ? `${path.slice(0, 100)}…` : path;
}
