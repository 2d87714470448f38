/** An item as it goes into the scrollback: with the empty line that sets it apart from the next. */

import type { Item } from "../store/state.ts";
import type { View } from "../view.ts";
import { itemLines } from "./item.ts";

export function printed(item: Item, view: View): string[] {
  return [...itemLines(item, view), ""];
}
