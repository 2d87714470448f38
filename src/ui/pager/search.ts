/**
 * A text in a file, forwards or backwards from an offset, a piece at a time. Small letters match both cases (of ASCII), a capital only
 * itself. Works on bytes: a file need not be valid text.
 */

import type { PagedFile } from "./paged-file.ts";

export interface SearchQuery {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly isExact: boolean;
}

export interface SearchRange {
  readonly query: SearchQuery;
  /** Matches start at or after this. */
  readonly from: number;
  /** Matches start before this. */
  readonly to: number;
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  /** How far it has come. */
  readonly onProgress?: ((offset: number) => void) | undefined;
}

const pieceBytes = 1_048_576;

export function searchQuery(text: string): SearchQuery {
  return { text, bytes: new TextEncoder().encode(text), isExact: text !== text.toLowerCase() };
}

/** The first match in the range; undefined when there is none or when it was aborted. */
export async function findForward(file: PagedFile, range: SearchRange): Promise<number | undefined> {
  const { query, to, size, signal, onProgress } = range;
  if (query.bytes.length === 0) return undefined;
  for (let start = range.from; start < to; start += pieceBytes) {
    if (signal?.aborted === true) return undefined;
    const piece = await readPiece(file, query, start, Math.min(pieceBytes, to - start), size);
    const at = piece.indexOf(query.bytes);
    if (at !== -1) return start + at;
    onProgress?.(Math.min(to, start + pieceBytes));
  }
  return undefined;
}

/** The last match in the range. */
export async function findBackward(file: PagedFile, range: SearchRange): Promise<number | undefined> {
  const { query, from, size, signal, onProgress } = range;
  if (query.bytes.length === 0) return undefined;
  for (let end = range.to; end > from; end -= pieceBytes) {
    if (signal?.aborted === true) return undefined;
    const start = Math.max(from, end - pieceBytes);
    const piece = await readPiece(file, query, start, end - start, size);
    const at = piece.lastIndexOf(query.bytes);
    if (at !== -1) return start + at;
    onProgress?.(start);
  }
  return undefined;
}

export interface WrappingSearch {
  readonly query: SearchQuery;
  readonly direction: "forward" | "backward";
  /** Forward from this on, backward before it; then from the other end to here. */
  readonly start: number;
  readonly size: number;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export type SearchOutcome =
  | { readonly kind: "found"; readonly at: number; readonly isWrapped: boolean }
  | { readonly kind: "not found" | "cancelled" };

export async function findWrapping(file: PagedFile, options: WrappingSearch): Promise<SearchOutcome> {
  const { direction, start, size, signal, query } = options;
  const before = { from: 0, to: start };
  const after = { from: start, to: size };
  const ranges = direction === "forward" ? [after, before] : [before, after];
  const find = direction === "forward" ? findForward : findBackward;
  let looked = 0;
  for (const [turn, range] of ranges.entries()) {
    const onProgress = (offset: number): void => {
      const part = direction === "forward" ? offset - range.from : range.to - offset;
      options.onProgress((looked + part) / Math.max(1, size));
    };
    const at = await find(file, { query, ...range, size, signal, onProgress });
    if (at !== undefined) return { kind: "found", at, isWrapped: turn > 0 };
    looked += range.to - range.from;
  }
  return { kind: signal.aborted ? "cancelled" : "not found" };
}

/** A piece, and as much more as a match that starts at its last byte needs. */
async function readPiece(
  file: PagedFile,
  query: SearchQuery,
  start: number,
  length: number,
  size: number,
): Promise<Buffer> {
  const wanted = Math.min(length + query.bytes.length - 1, size - start);
  const bytes = await file.read(start, wanted);
  if (query.isExact) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const folded = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    folded[at] = byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte;
  }
  return folded;
}
