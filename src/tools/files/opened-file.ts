/** Opens a regular file for a tool, with everything that may be wrong with it told in one line. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { systemCode } from "../../protocol/index.ts";
import type { LocatedPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import { type FileFacts, fileFacts, maxHashedBytes } from "./freshness.ts";
import { missingFile } from "./near-names.ts";

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
  readonly cwd: string;
}

/** The file is closed when `use` has ended. */
export async function withOpenedFile<T>(
  request: OpenRequest,
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> {
  const { operation, located } = request;
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(request);
    const stats = await handle.stat({ bigint: true });
    const start = await readStart(handle, Number(stats.size));
    const whole = start.length <= maxHashedBytes;
    const file: OpenedFile = {
      handle,
      realPath: await realpath(located.path),
      size: Number(stats.size),
      start: whole ? start : start.subarray(0, maxHashedBytes),
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

async function openRegular({ operation, located, cwd }: OpenRequest): Promise<FileHandle> {
  const { path, shown } = located;
  let handle: FileHandle;
  try {
    // Opening a pipe would wait for its other end.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw await missingFile(operation, located, cwd);
    if (systemCode(error) === "ENXIO") throw notRegular(operation, shown);
    throw error;
  }
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  if (stats.isDirectory()) {
    const issue = `'${shown}' is a directory: use ls`;
    throw new ToolError({ operation, issue, code: "EISDIR" });
  }
  throw notRegular(operation, shown);
}

function notRegular(operation: string, shown: string): ToolError {
  return new ToolError({ operation, issue: `'${shown}' is not a regular file`, code: "EINVAL" });
}

/** One byte more than is kept tells whether there is more. Files of /proc have content and no size. */
async function readStart(handle: FileHandle, size: number): Promise<Buffer> {
  const most = maxHashedBytes + 1;
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
