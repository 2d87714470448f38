/**
 * Reads a file in a directory that a program can write as well. It may have put a link there that leads to what only omp may read, or a
 * pipe that nobody ever writes to.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { attempt } from "../protocol/index.ts";

/** Undefined unless it is a regular file, by that very name. */
export function readPlainFile(path: string, encoding: BufferEncoding): string | undefined {
  return attempt(() => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return fstatSync(file).isFile() ? readFileSync(file, encoding) : undefined;
    } finally {
      closeSync(file);
    }
  });
}
