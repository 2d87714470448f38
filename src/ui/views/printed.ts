/** An item as it goes into the scrollback: with the empty line that sets it apart from the next. */

import type { Item } from "../store/state.ts";
import type { View } from "../view.ts";
import { itemLines } from "./item.ts";

export function printed(item: Item, view: View): string[] {
  return [...itemLines(item, view), ""];
}

/** The last lines of all of them. */
export function lastPrinted(items: readonly Item[], view: View, count: number): readonly string[] {
  let lines: string[] = [];
  for (let at = items.length - 1; at >= 0 && lines.length < count; at -= 1) {
    const item = items[at];
    if (item) lines = [...printed(item, view), ...lines];
  }
  return lines.slice(Math.max(0, lines.length - count));
}
