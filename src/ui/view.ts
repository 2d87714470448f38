/** What every drawing function is given. */

import type { Theme } from "./theme.ts";

export interface View {
  readonly theme: Theme;
  /** Columns; no line that is drawn is wider. */
  readonly width: number;
  readonly isExpanded: boolean;
  readonly now: number;
  /** Drawn again and again: nothing is in it that is drawn once. */
  readonly isLive?: boolean;
}
