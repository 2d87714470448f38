/**
 * Replaces a file's content in one step: a crash or a full disk leaves the old content or the new, never a half. What else the file
 * had is kept, or reported. Owns the temporary file beside the target; knows no text.
 */

import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ignoreSystemError, systemCode } from "../../protocol/index.ts";
import { copyAttributes } from "./attributes.ts";
import { sameStamp } from "./freshness.ts";

/** Its links were followed before: one that is there now was put there in between. Nor is a pipe waited for. */
const NOT_ELSEWHERE = constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface AtomicWrite {
  /** With its links followed, see `writeTarget`. */
  readonly path: string;
  readonly content: Uint8Array;
  /** The file that is replaced, as it was when its content was looked at. */
  readonly existing: BigIntStats | undefined;
}

export interface Written {
  /** The file's new state. */
  readonly stats: BigIntStats;
  /** What the file had beside its content and could not be kept, as people call it. */
  readonly notKept: readonly string[];
}

/** Another program wrote to the file after its content was read. */
export class OvertakenError extends Error {}

export async function writeAtomically({ path, content, existing }: AtomicWrite): Promise<Written> {
  // A rename would also replace a file that its owner made read-only.
  if (existing !== undefined) await (await open(path, constants.O_WRONLY | NOT_ELSEWHERE)).close();
  else await mkdir(dirname(path), { recursive: true });
  try {
    return await replace({ path, content, existing });
  } catch (error) {
    // The directory takes no new file, or the file is a mount of its own; the file itself may be written all the same.
    const inPlace = existing !== undefined && ["EACCES", "EPERM", "EBUSY"].includes(systemCode(error) ?? "");
    if (!inPlace) throw error;
    await refuseIfOvertaken(path, existing);
    return { stats: await overwrite(path, content), notKept: [] };
  }
}

async function replace({ path, content, existing }: AtomicWrite): Promise<Written> {
  const temporary = join(dirname(path), `.omp-${crypto.randomUUID()}.tmp`);
  const handle = await open(temporary, "wx", existing === undefined ? 0o666 : 0o600);
  const notKept: string[] = [];
  try {
    try {
      if (existing !== undefined) notKept.push(...(await keepFacts(path, handle, existing)));
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
  return { stats: await stat(path, { bigint: true }), notKept };
}

async function keepFacts(path: string, handle: FileHandle, existing: BigIntStats): Promise<string[]> {
  const notKept = await keepOwner(handle, existing);
  // After chown, which clears the set-id bits; they must not name another owner.
  await handle.chmod(Number(existing.mode) & (notKept.length === 0 ? 0o7777 : 0o1777));
  const old = await open(path, constants.O_RDONLY | NOT_ELSEWHERE);
  try {
    // After chmod, which changes the mask of an access control list.
    notKept.push(...copyAttributes(old.fd, handle.fd));
  } finally {
    await old.close();
  }
  if (existing.nlink > 1n) notKept.push("hard links (the other names still have the old content)");
  return notKept;
}

/** Only root may give files away; the content matters more than whose it is. */
async function keepOwner(handle: FileHandle, existing: BigIntStats): Promise<string[]> {
  const [uid, gid] = [Number(existing.uid), Number(existing.gid)];
  const now = await handle.stat();
  const isSet = async (owner: number) =>
    (now.uid === owner && now.gid === gid) ||
    (await handle.chown(owner, gid).then(() => true, ignoreSystemError)) === true;
  if (await isSet(uid)) return [];
  return (await isSet(now.uid)) ? [`owner ${uid}`] : [`owner ${uid}:${gid}`];
}

async function refuseIfOvertaken(path: string, existing: BigIntStats | undefined): Promise<void> {
  const now = await statIfThere(path);
  const same = existing === undefined || now === undefined ? now === existing : sameStamp(existing, now);
  if (!same) throw new OvertakenError(path);
}

async function overwrite(path: string, content: Uint8Array): Promise<BigIntStats> {
  const handle = await open(path, constants.O_RDWR | NOT_ELSEWHERE);
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
