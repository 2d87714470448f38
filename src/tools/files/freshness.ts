/**
 * What the tools last saw of each file in this session, so that no change is overwritten unseen: the user's in an
 * editor, a formatter's, or the model's own through python and bash.
 *
 * Contents are compared where they are known: a time stamp moves without a change (touch, git switch and back), and two
 * changes within one tick of the clock have the same one.
 */

import type { BigIntStats } from "node:fs";

/** Larger files are compared by inode, size and time alone. */
export const MAX_HASHED_BYTES = 4 * 1024 * 1024;

type FileStamp = Pick<BigIntStats, "ino" | "size" | "mtimeNs">;

export interface FileFacts extends Readonly<FileStamp> {
  /** Of the whole content. */
  readonly hash: number | bigint | undefined;
}

export type Freshness = "unread" | "fresh" | "changed";

/** A session that reads more files than this forgets the oldest: they count as unread. */
const MOST_FILES = 20_000;

export class FileFreshness {
  readonly #seen = new Map<string, FileFacts>();

  /** @param path with its links followed */
  remember(path: string, facts: FileFacts): void {
    this.#seen.delete(path);
    this.#seen.set(path, facts);
    if (this.#seen.size <= MOST_FILES) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  /** @param now the file as it is on disk */
  compare(path: string, now: FileFacts): Freshness {
    const before = this.#seen.get(path);
    if (before === undefined) return "unread";
    if (before.hash !== undefined && now.hash !== undefined) {
      return before.hash === now.hash && before.size === now.size ? "fresh" : "changed";
    }
    return sameStamp(before, now) ? "fresh" : "changed";
  }
}

/** @param content the whole of it, where it was read */
export function fileFacts({ ino, size, mtimeNs }: FileStamp, content: Uint8Array | undefined): FileFacts {
  const hash = content !== undefined && content.length <= MAX_HASHED_BYTES ? Bun.hash(content) : undefined;
  return { ino, size, mtimeNs, hash };
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
