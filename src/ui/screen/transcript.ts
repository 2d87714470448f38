/** Everything that was said and done so far, expanded: a text for the pager. */

import type { UiState } from "../store/state.ts";
import type { View } from "../view.ts";
import { itemLines } from "../views/item.ts";
import { spaced } from "../views/spacing.ts";

export function transcriptText({ finished, live }: UiState, view: Omit<View, "isExpanded">): string {
  // Pictures are named: the pager shows text.
  const expanded = { ...view, isExpanded: true, isLive: true };
  let isTightAbove = false;
  const pieces = [...finished, ...live].map((item) => {
    const { lines, isTight } = spaced(item, itemLines(item, expanded), { isTightAbove });
    isTightAbove = isTight;
    return lines.join("\n");
  });
  return pieces.join("\n");
}
