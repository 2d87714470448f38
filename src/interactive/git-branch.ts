/** The branch that is checked out, from git's own file: no process, no wait. */

import { dirname, join, resolve } from "node:path";
import { readProjectFile } from "../config/project-file.ts";

export function gitBranch(directory: string): string | undefined {
  const path = join(directory, ".git");
  // A worktree has a file that says where its directory is.
  const pointed = /^gitdir: (.+)$/m.exec(textOf(path) ?? "")?.[1];
  const head = textOf(join(pointed === undefined ? path : resolve(directory, pointed), "HEAD"));
  if (head !== undefined) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 7);
  const parent = dirname(directory);
  return pointed !== undefined || parent === directory ? undefined : gitBranch(parent);
}

/** Undefined when it is missing or not a file: reading a pipe would never end. */
function textOf(path: string): string | undefined {
  const read = readProjectFile(path, { root: undefined, maxBytes: 1_000 });
  return read !== undefined && "bytes" in read ? new TextDecoder().decode(read.bytes) : undefined;
}
