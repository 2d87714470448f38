/** Columns of a table: how wide each is, how a cell is padded, the rule between the header and the rows. */

import type { Symbols } from "../theme.ts";
import { widthOf } from "./lines.ts";

export type Align = "left" | "center" | "right";

/** Columns between two cells, for ` │ `. */
export const COLUMN_GAP = 3;

/** The widths that columns want; where they do not fit into the room, the widest are cut to one common width, but not below `least`. */
export function fitColumns(wanted: readonly number[], room: number, least: number): number[] {
  const total = (most: number): number =>
    wanted.reduce((sum, width) => sum + Math.min(width, most), COLUMN_GAP * (wanted.length - 1));
  let most = Math.max(...wanted);
  while (most > least && total(most) > room) most--;
  return wanted.map((width) => Math.min(width, most));
}

export function padCell(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - widthOf(text));
  const before = align === "right" ? missing : align === "center" ? missing >> 1 : 0;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

export function headerRule(widths: readonly number[], { rule }: Symbols): string {
  const cross = rule + (rule === "-" ? "+" : "┼") + rule;
  return widths.map((width) => rule.repeat(width)).join(cross);
}
