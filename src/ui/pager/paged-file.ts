/** What the pager reads from, and the one way it touches a disk. */

import { open } from "node:fs/promises";

/** Any source of bytes with a size that may change. */
export interface PagedFile {
  size(): Promise<number>;
  /** Up to `length` bytes; fewer at the end, none beyond it. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export async function openPagedFile(path: string): Promise<PagedFile> {
  const handle = await open(path, "r");
  return {
    size: async () => (await handle.stat()).size,
    read: async (offset, length) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, length));
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}

/** A text in memory; a function gives the text of the moment. */
export function pagedText(text: string | (() => string)): PagedFile {
  let bytes = typeof text === "string" ? Buffer.from(text) : Buffer.alloc(0);
  return {
    size: async () => {
      if (typeof text === "function") bytes = Buffer.from(text());
      return bytes.length;
    },
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    close: async () => undefined,
  };
}
