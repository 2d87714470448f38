/** The branch that is checked out, from git's own file: no process, no wait. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export function gitBranch(cwd: string): string | undefined {
  const directory = gitDirectory(cwd);
  const head = directory === undefined ? undefined : textOf(join(directory, "HEAD"));
  if (head === undefined) return undefined;
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 7);
}

function gitDirectory(cwd: string): string | undefined {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, ".git");
    if (textOf(join(path, "HEAD")) !== undefined) return path;
    // A worktree has a file that says where its directory is.
    const pointed = /^gitdir: (.+)$/m.exec(textOf(path) ?? "")?.[1];
    if (pointed !== undefined) return resolve(directory, pointed);
    if (directory === dirname(directory)) return undefined;
  }
}

/** Undefined when it is missing or not a file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
