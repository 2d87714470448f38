/** A file in memory that counts what is read of it. */

import type { PagedFile } from "../../../src/ui/pager/paged-file.ts";

export class MemoryFile implements PagedFile {
  bytesRead = 0;
  isClosed = false;
  problem: Error | undefined;
  #content: Buffer;

  constructor(content: string | Uint8Array) {
    this.#content = Buffer.from(content);
  }

  append(text: string): void {
    this.#content = Buffer.concat([this.#content, Buffer.from(text)]);
  }

  replace(text: string): void {
    this.#content = Buffer.from(text);
  }

  async size(): Promise<number> {
    return this.#content.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.problem !== undefined) throw this.problem;
    const bytes = this.#content.subarray(offset, offset + length);
    this.bytesRead += bytes.length;
    return bytes;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
