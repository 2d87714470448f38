/**
 * Replaces a file's content in one step: a crash or a full disk leaves the old content or the new, never a half. Owns the
 * temporary file beside the target; knows no text.
 */

import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ignoreSystemError, systemCode } from "../../protocol/index.ts";
import { sameStamp } from "./freshness.ts";

export interface AtomicWrite {
  /** With its links followed, see `writeTarget`. */
  readonly path: string;
  readonly content: Uint8Array;
  /** The file that is replaced, as it was when its content was looked at. */
  readonly existing: BigIntStats | undefined;
}

/** Another program wrote to the file after its content was read. */
export class OvertakenError extends Error {}

/** The file's new state. */
export async function writeAtomically({ path, content, existing }: AtomicWrite): Promise<BigIntStats> {
  // A rename would also replace a file that its owner made read-only.
  if (existing !== undefined) await (await open(path, constants.O_WRONLY | constants.O_NONBLOCK)).close();
  else await mkdir(dirname(path), { recursive: true });
  try {
    return await replace({ path, content, existing });
  } catch (error) {
    // The directory takes no new file, or the file is a mount of its own; the file itself may be written all the same.
    const inPlace = existing !== undefined && ["EACCES", "EPERM", "EBUSY"].includes(systemCode(error) ?? "");
    if (!inPlace) throw error;
    await refuseIfOvertaken(path, existing);
    return overwrite(path, content);
  }
}

async function replace({ path, content, existing }: AtomicWrite): Promise<BigIntStats> {
  const temporary = join(dirname(path), `.omp-${crypto.randomUUID()}.tmp`);
  const handle = await open(temporary, "wx", existing === undefined ? 0o666 : 0o600);
  try {
    try {
      if (existing !== undefined) await keepOwnerAndMode(handle, existing);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await refuseIfOvertaken(path, existing);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(ignoreSystemError);
    throw error;
  }
  await syncDirectory(dirname(path));
  return stat(path, { bigint: true });
}

async function keepOwnerAndMode(handle: FileHandle, existing: BigIntStats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (BigInt(uid) !== existing.uid || BigInt(gid) !== existing.gid) {
    // Only root may give files away; the content matters more than whose it is.
    await handle.chown(Number(existing.uid), Number(existing.gid)).catch(ignoreSystemError);
  }
  // After chown, which clears the set-id bits.
  await handle.chmod(Number(existing.mode) & 0o7777);
}

async function refuseIfOvertaken(path: string, existing: BigIntStats | undefined): Promise<void> {
  const now = await statIfThere(path);
  const same = existing === undefined || now === undefined ? now === existing : sameStamp(existing, now);
  if (!same) throw new OvertakenError(path);
}

async function overwrite(path: string, content: Uint8Array): Promise<BigIntStats> {
  const handle = await open(path, "r+");
  try {
    let at = 0;
    while (at < content.length) at += (await handle.write(content, at, content.length - at, at)).bytesWritten;
    await handle.truncate(content.length);
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

/** The rename itself lasts only when the directory is on the disk, too; not every file system can be asked. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY).catch(ignoreSystemError);
  await handle
    ?.sync()
    .finally(() => handle.close())
    .catch(ignoreSystemError);
}

export async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What a write to `path` writes to: links are followed, also one whose target does not exist yet. */
export async function writeTarget(path: string, links = 0): Promise<string> {
  let to: string;
  try {
    to = await readlink(path);
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(systemCode(error) ?? "")) return path;
    throw error;
  }
  if (links >= 40) throw Object.assign(new Error(`too many links: ${path}`), { code: "ELOOP" });
  return writeTarget(resolve(dirname(path), to), links + 1);
}
