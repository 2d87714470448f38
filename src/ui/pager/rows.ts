/**
 * Rows of a file, from any offset, forwards and backwards, reading only around it. A row is a line, or a piece of a line that is too long
 * to be one row: a gigabyte without a line feed is pages of pieces and never a gigabyte in memory.
 */

import type { PagedFile } from "./paged-file.ts";

const LINE_FEED = 0x0a;
export const MAX_ROW_BYTES = 16_384;
/** How far back the start of a long line is looked for; beyond it a piece may start anywhere. */
const MAX_LOOK_BACK = 262_144;
const WINDOW_BYTES = 131_072;
/** A character of UTF-8 that a cut would split has at most three more bytes. */
const MAX_TAIL = 3;

export interface FileRow {
  readonly start: number;
  /** Where the next row starts. */
  readonly next: number;
  readonly text: string;
  /** A piece of a line that began in an earlier row. */
  readonly isContinuation: boolean;
}

export class RowReader {
  readonly #file: PagedFile;
  #window: Uint8Array = new Uint8Array(0);
  #windowStart = 0;
  readonly #decoder = new TextDecoder();

  constructor(file: PagedFile) {
    this.#file = file;
  }

  /** Forgets what was read: the file has changed. */
  forget(): void {
    this.#window = new Uint8Array(0);
  }

  async rowsFrom(offset: number, count: number, size: number): Promise<FileRow[]> {
    const rows: FileRow[] = [];
    let at = offset;
    let isContinuation = at > 0 && (await this.#bytes(at - 1, 1, size))[0] !== LINE_FEED;
    while (rows.length < count && at < size) {
      const bytes = await this.#bytes(at, MAX_ROW_BYTES + MAX_TAIL, size);
      if (bytes.length === 0) break;
      // One more: a line that just fits has its line feed after it.
      const feed = bytes.subarray(0, MAX_ROW_BYTES + 1).indexOf(LINE_FEED);
      const length = feed !== -1 ? feed : Math.min(bytes.length, MAX_ROW_BYTES);
      const next = at + length + (feed === -1 ? 0 : 1);
      rows.push({ start: at, next, text: this.#decode(bytes, length), isContinuation });
      isContinuation = feed === -1;
      at = next;
    }
    return rows;
  }

  /** The start of the row that ends where the row at `offset` starts. */
  async rowStartBefore(offset: number, size: number): Promise<number> {
    if (offset <= 0) return 0;
    const isLineStart = (await this.#bytes(offset - 1, 1, size))[0] === LINE_FEED;
    const end = isLineStart ? offset - 1 : offset;
    const lineStart = await this.#lineStartBefore(end, size);
    if (lineStart === undefined) return Math.max(0, end - MAX_ROW_BYTES);
    const length = end - lineStart;
    return length === 0 ? lineStart : lineStart + Math.floor((length - 1) / MAX_ROW_BYTES) * MAX_ROW_BYTES;
  }

  /** The start of the row that has `offset` in it. */
  async rowStartAt(offset: number, size: number): Promise<number> {
    const lineStart = await this.#lineStartBefore(offset, size);
    if (lineStart === undefined) return offset;
    // A line feed belongs to the piece before it, also to a full one.
    const isFeed = (await this.#bytes(offset, 1, size))[0] === LINE_FEED;
    const length = offset - lineStart;
    const last = isFeed && length > 0 ? length - 1 : length;
    return lineStart + Math.floor(last / MAX_ROW_BYTES) * MAX_ROW_BYTES;
  }

  /** Where the line around `end` starts; undefined when that is too far back to look. */
  async #lineStartBefore(end: number, size: number): Promise<number | undefined> {
    const limit = Math.max(0, end - MAX_LOOK_BACK);
    let stop = end;
    while (stop > limit) {
      const start = Math.max(limit, stop - 32_768);
      const bytes = await this.#bytes(start, stop - start, size);
      const feed = bytes.lastIndexOf(LINE_FEED);
      if (feed !== -1) return start + feed + 1;
      stop = start;
    }
    return limit === 0 ? 0 : undefined;
  }

  async #bytes(offset: number, length: number, size: number): Promise<Uint8Array> {
    const wanted = Math.min(length, size - offset);
    if (wanted <= 0) return new Uint8Array(0);
    const isInside =
      offset >= this.#windowStart && offset + wanted <= this.#windowStart + this.#window.length;
    if (!isInside) {
      // Around the offset, for both directions are likely next.
      this.#windowStart = Math.max(0, offset - (WINDOW_BYTES >> 1));
      const span = Math.max(WINDOW_BYTES, offset + wanted - this.#windowStart);
      this.#window = await this.#file.read(this.#windowStart, span);
    }
    const from = offset - this.#windowStart;
    return this.#window.subarray(from, from + wanted);
  }

  #decode(bytes: Uint8Array, length: number): string {
    let start = 0;
    while (start < MAX_TAIL && start < length && isInsideCharacter(bytes[start])) start++;
    let end = length;
    while (end < length + MAX_TAIL && end < bytes.length && isInsideCharacter(bytes[end])) end++;
    return this.#decoder.decode(bytes.subarray(start, end));
  }
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
