/** Opens a regular file for a tool; errors say in one line what is wrong with it. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { systemCode, type ToolContext } from "../../protocol/index.ts";
import type { LocatedPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import { type FileFacts, fileFacts, MAX_HASHED_BYTES } from "./freshness.ts";
import { missingFileError } from "./near-names.ts";
import { checkOpen, checkVisible } from "./visible.ts";

export interface OpenedFile {
  readonly handle: FileHandle;
  /** With its links followed: what freshness knows the file by. */
  readonly realPath: string;
  readonly size: number;
  /** The first bytes, at most `maxHashedBytes`. */
  readonly start: Buffer;
  /** `start` is all of it. */
  readonly whole: boolean;
  readonly facts: FileFacts;
}

export interface OpenRequest {
  readonly operation: string;
  readonly located: LocatedPath;
  /** Absent for what belongs to omp: programs need not see it. */
  readonly context?: Pick<ToolContext, "sandbox">;
  readonly cwd: string;
}

/** The file is closed when `use` has ended. */
export async function withOpenedFile<T>(
  request: OpenRequest,
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> {
  const { operation, located, context = {} } = request;
  const looking = { operation, context, done: "read" } as const;
  let handle: FileHandle | undefined;
  try {
    checkVisible(looking, located);
    handle = await openRegular(operation, located, ": use ls").catch(async (error: unknown) => {
      throw systemCode(error) === "ENOENT" ? await missingFileError(operation, located, request.cwd) : error;
    });
    await checkOpen(looking, located, handle);
    const stats = await handle.stat({ bigint: true });
    const start = await readStart(handle, Number(stats.size));
    const whole = start.length <= MAX_HASHED_BYTES;
    const file: OpenedFile = {
      handle,
      realPath: await realpath(located.path),
      size: Number(stats.size),
      start: whole ? start : start.subarray(0, MAX_HASHED_BYTES),
      whole,
      facts: fileFacts(stats, whole ? start : undefined),
    };
    return await use(file);
  } catch (error) {
    throw fileError(error, { operation, shown: located.shown, done: "read" });
  } finally {
    await handle?.close();
  }
}

/**
 * Throws `ToolError` for anything but a regular file, and what the system throws.
 * @param advice what to do about a directory
 */
export async function openRegular(
  operation: string,
  { path, shown }: LocatedPath,
  advice = "",
): Promise<FileHandle> {
  const notRegular = new ToolError({ operation, issue: `'${shown}' is not a regular file`, code: "EINVAL" });
  let handle: FileHandle;
  try {
    // Opening a pipe would wait for its other end.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw systemCode(error) === "ENXIO" ? notRegular : error;
  }
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw stats.isDirectory() ? directoryError(operation, shown, advice) : notRegular;
}

export function directoryError(operation: string, shown: string, advice = ""): ToolError {
  return new ToolError({ operation, issue: `'${shown}' is a directory${advice}`, code: "EISDIR" });
}

/** One byte more than is kept shows whether there is more. Files of /proc have content and no size. */
async function readStart(handle: FileHandle, size: number): Promise<Buffer> {
  const most = MAX_HASHED_BYTES + 1;
  let buffer = Buffer.allocUnsafe(Math.min(most, size > 0 ? size + 1 : 64 * 1024));
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === most) return buffer.subarray(0, length);
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(most, buffer.length * 2));
      buffer.copy(larger);
      buffer = larger;
    }
  }
}
