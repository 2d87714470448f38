/** What every drawing function gets, and what those with a cursor return. */

import type { Theme } from "./theme.ts";

export interface View {
  readonly theme: Theme;
  /** Columns; no line that is drawn is wider. */
  readonly width: number;
  readonly isExpanded: boolean;
  readonly now: number;
  /** In the live region, which is drawn again and again: nothing that can be drawn only once. */
  readonly isLive?: boolean;
}

/** What a part that can always draw itself needs of it. */
export type Page = Pick<View, "theme" | "width">;

export interface Block {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}
