/**
 * Files and directories that stay the ones that were looked at. Programs in a sandbox run while omp writes for them, and can put a link
 * in a directory's place between the look at a path and its use; what is open stays what it was.
 */

import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../protocol/index.ts";

/** Linux has a name there for everything that a process has open, which leads to it whatever is elsewhere. */
const OPEN_FILES = process.platform === "linux" ? "/proc/self/fd" : undefined;

/** What an open file is called now, with links followed. */
export async function heldName({ fd }: FileHandle, path: string): Promise<string> {
  return OPEN_FILES === undefined ? await realpath(path) : await readlink(join(OPEN_FILES, `${fd}`));
}

/** Looks into a directory that is there. @param check throws for one that may not be used. */
export async function lookInto<T>(
  directory: string,
  check: (path: string) => void,
  look: (path: string) => Promise<T>,
): Promise<T> {
  const handle = await open(directory, DIRECTORY);
  try {
    check(await heldName(handle, directory));
    return await look(pathOf(handle, directory));
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file into the directory that was checked. Makes the directory where it is missing.
 * @param check throws for what may not be written.
 */
export async function writeHeld<T>(
  path: string,
  check: (path: string) => void,
  write: (path: string) => Promise<T>,
): Promise<T> {
  const directory = dirname(path);
  const handle = await hold(directory, check);
  try {
    check(join(await heldName(handle, directory), basename(path)));
    return await write(join(pathOf(handle, directory), basename(path)));
  } finally {
    await handle.close();
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY;

async function hold(directory: string, check: (path: string) => void): Promise<FileHandle> {
  try {
    return await open(directory, DIRECTORY);
  } catch (error) {
    const parent = dirname(directory);
    if (systemCode(error) !== "ENOENT" || parent === directory) throw error;
    const above = await hold(parent, check);
    try {
      check(join(await heldName(above, parent), basename(directory)));
      const made = join(pathOf(above, parent), basename(directory));
      await mkdir(made, { recursive: true });
      return await open(made, DIRECTORY | constants.O_NOFOLLOW);
    } finally {
      await above.close();
    }
  }
}

function pathOf({ fd }: FileHandle, path: string): string {
  return OPEN_FILES === undefined ? path : join(OPEN_FILES, `${fd}`);
}
