/** What a directory of ours is known by, for a kernel that has to say whether it sees that one or another of the same name. */

import { statSync } from "node:fs";
import { hostname } from "node:os";
import type { DirectoryOrigin } from "./init-code.ts";

/** Undefined when there is no such directory. */
export function originOf(directory: string): DirectoryOrigin | undefined {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false });
  return stat && { host: hostname(), inode: String(stat.ino), mtimeNs: String(stat.mtimeNs) };
}
