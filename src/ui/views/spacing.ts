/** Items of the transcript, set apart by empty lines; calls of one line follow each other without one. */

import type { Item } from "../store/state.ts";

/** The lines of an item, and whether the next call may follow without a gap. */
export interface SpacedLines {
  readonly lines: readonly string[];
  readonly isTight: boolean;
}

/** @param isTightAbove what is above has no empty line below it. */
export function spaced(
  item: Item,
  lines: readonly string[],
  { isTightAbove }: { readonly isTightAbove: boolean },
): SpacedLines {
  const isTight = isOneLineCall(item, lines);
  const above = isTightAbove && !isTight ? [""] : [];
  return { lines: [...above, ...lines, ...(isTight ? [] : [""])], isTight };
}

function isOneLineCall({ kind }: Item, lines: readonly string[]): boolean {
  return kind === "call" && lines.length === 1;
}
