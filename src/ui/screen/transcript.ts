/** Everything that was said and done so far, expanded: a text for the pager. */

import type { UiState } from "../store/state.ts";
import type { View } from "../view.ts";
import { printedLines } from "../views/item.ts";

export function transcriptText({ finished, live }: UiState, view: Omit<View, "isExpanded">): string {
  // Pictures are named: the pager shows text.
  const expanded = { ...view, isExpanded: true, isLive: true };
  return [...finished, ...live].map((item) => printedLines(item, expanded).join("\n")).join("\n");
}
