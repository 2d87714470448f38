/**
 * Finds text in a file, forward or backward from an offset, a piece at a time. Lower case matches both cases (of ASCII), a capital only
 * itself. Works on bytes: a file need not be valid text.
 */

import type { PagedFile } from "./paged-file.ts";

export type Direction = "forward" | "backward";

export interface SearchQuery {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly isExact: boolean;
}

export interface SearchRange {
  readonly query: SearchQuery;
  readonly direction: Direction;
  /** Matches start at or after this. */
  readonly from: number;
  /** Matches start before this. */
  readonly to: number;
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes searched so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

const PIECE_BYTES = 1_048_576;

export function searchQuery(text: string): SearchQuery {
  return { text, bytes: new TextEncoder().encode(text), isExact: text !== text.toLowerCase() };
}

/** The first match in the range, or backward the last; undefined if there is none or the search was aborted. */
export async function findText(file: PagedFile, range: SearchRange): Promise<number | undefined> {
  const { query, direction, from, to, size, signal, onProgress } = range;
  if (query.bytes.length === 0) return undefined;
  for (let searched = 0; searched < to - from; ) {
    if (signal?.aborted === true) return undefined;
    const length = Math.min(PIECE_BYTES, to - from - searched);
    const start = direction === "forward" ? from + searched : to - searched - length;
    const piece = await readPiece(file, query, start, length, size);
    const at = direction === "forward" ? piece.indexOf(query.bytes) : piece.lastIndexOf(query.bytes);
    if (at !== -1) return start + at;
    searched += length;
    onProgress?.(searched);
  }
  return undefined;
}

export interface WrappingSearch extends Pick<SearchRange, "query" | "direction" | "size"> {
  /** Forward from here, or backward before it; then from the other end to here. */
  readonly start: number;
  readonly signal: AbortSignal;
  /** Called with the share of the file searched so far, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export type SearchOutcome =
  | { readonly kind: "found"; readonly at: number; readonly isWrapped: boolean }
  | { readonly kind: "not found" | "cancelled" };

export async function findWrapping(file: PagedFile, search: WrappingSearch): Promise<SearchOutcome> {
  const { direction, start, size, signal } = search;
  const ranges = [
    { from: start, to: size },
    { from: 0, to: start },
  ];
  if (direction === "backward") ranges.reverse();
  let searched = 0;
  for (const [turn, range] of ranges.entries()) {
    const onProgress = (bytes: number) => search.onProgress((searched + bytes) / Math.max(1, size));
    const at = await findText(file, { ...search, ...range, onProgress });
    if (at !== undefined) return { kind: "found", at, isWrapped: turn > 0 };
    searched += range.to - range.from;
  }
  return { kind: signal.aborted ? "cancelled" : "not found" };
}

/** A piece, and as many bytes more as a match that starts at its last byte needs. */
async function readPiece(
  file: PagedFile,
  query: SearchQuery,
  start: number,
  length: number,
  size: number,
): Promise<Buffer> {
  const bytes = await file.read(start, Math.min(length + query.bytes.length - 1, size - start));
  if (query.isExact) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const folded = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    folded[at] = byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte;
  }
  return folded;
}
