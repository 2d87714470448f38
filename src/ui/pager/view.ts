/** What the pager shows and what it can be asked to do: values only. */

import type { Direction } from "./search.ts";

export interface PagerRow {
  /** Ready to draw: clipped, with nothing in it but text, colours and links. */
  readonly text: string;
  /** Undefined until the index has reached it. */
  readonly line: number | undefined;
  /** A further piece of a very long line. */
  readonly isContinuation: boolean;
}

export interface PagerSearch {
  readonly text: string;
  readonly state: "searching" | "found" | "not found" | "cancelled";
  /** The search went past one end of the file and continued from the other. */
  readonly isWrapped: boolean;
  /** Share of the file searched so far. */
  readonly progress: number;
  readonly matchOffset: number | undefined;
}

export interface PagerView {
  readonly rows: readonly PagerRow[];
  readonly top: number;
  /** Where the row after the last one shown starts. */
  readonly bottom: number;
  readonly size: number;
  /** 0 to 100: how much of the file is above the bottom of the screen. */
  readonly percent: number;
  /** Known when the whole file has been indexed. */
  readonly totalLines: number | undefined;
  readonly indexedBytes: number;
  readonly isFollowing: boolean;
  readonly search: PagerSearch | undefined;
  /** Why the file can no longer be read. */
  readonly problem: string | undefined;
}

/** Before anything has been read. */
export const emptyView: PagerView = {
  rows: [],
  top: 0,
  bottom: 0,
  size: 0,
  percent: 100,
  totalLines: undefined,
  indexedBytes: 0,
  isFollowing: false,
  search: undefined,
  problem: undefined,
};

export type PagerAction =
  | { readonly kind: "lines"; readonly by: number }
  /** Half a page is 0.5. */
  | { readonly kind: "pages"; readonly by: number }
  | { readonly kind: "columns"; readonly by: number }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  /** From 1; a line beyond the last one is the last one. */
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "percent"; readonly percent: number }
  | { readonly kind: "search"; readonly text: string; readonly direction: Direction }
  | { readonly kind: "next match" }
  | { readonly kind: "previous match" }
  | { readonly kind: "follow"; readonly isOn: boolean }
  | { readonly kind: "resize"; readonly rows: number; readonly columns: number }
  /** Checks whether the file has grown. */
  | { readonly kind: "refresh" };
