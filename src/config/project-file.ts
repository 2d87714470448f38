/**
 * Reads a file of a project, which may be from a stranger. The file must be regular, owned by the user and inside the project: a link
 * to `/proc/self/environ` would put every key into a prompt, and one to `/dev/zero` would never end.
 */

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { systemCode } from "../protocol/error.ts";

/** `problem` follows the path: "is not a regular file". `isCut`: the file is larger than the limit. */
export type ProjectFile =
  | { readonly bytes: Uint8Array; readonly isCut: boolean }
  | { readonly problem: string; readonly code: string };

export interface ProjectFileOptions {
  /** The directory that links may not lead out of; undefined for the user's own files, which may be links to anywhere. */
  readonly root: string | undefined;
  readonly maxBytes: number;
  /** The user; by default the one who runs omp. */
  readonly uid?: number | undefined;
}

/** Undefined when there is no such file. */
export function readProjectFile(
  path: string,
  { root, maxBytes, uid }: ProjectFileOptions,
): ProjectFile | undefined {
  try {
    const real = realpathSync(path);
    if (root !== undefined && !isInside(real, realpathSync(root)))
      return { problem: "is a link to a file outside the project", code: "LINK_OUTSIDE" };
    // A FIFO without a writer would block the open forever.
    const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) return { problem: "is not a regular file", code: "NOT_A_FILE" };
      if (root !== undefined && !(isOwner(stat, uid) && isOwn(dirname(real), uid)))
        return { problem: "belongs to another user", code: "NOT_OWNED" };
      // One extra byte shows whether there is more. The size cannot be trusted: files grow.
      const bytes = new Uint8Array(Math.min(stat.size, maxBytes) + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, null);
      return { bytes: bytes.subarray(0, Math.min(length, maxBytes)), isCut: length > maxBytes };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // ENOTDIR: an unrelated file has the name of the directory.
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : { problem: "cannot be read", code };
  }
}

/** Whether the file or directory belongs to the user; for a link, its target. */
export function isOwn(path: string, uid?: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && isOwner(stat, uid);
}

function isOwner(stat: { readonly uid: number }, uid = process.geteuid?.()): boolean {
  // Windows has no such numbers.
  return uid === undefined || stat.uid === uid;
}

export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
