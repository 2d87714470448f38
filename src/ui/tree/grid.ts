/** Cells of one line each as a table: numbers to the right, long cells cut, a note about what does not fit. */

import { count } from "../../format/numbers.ts";
import { COLUMN_GAP, fitColumns, headerRule, padCell } from "../text/columns.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { Paint } from "../theme.ts";
import type { Page } from "../view.ts";

export interface GridCell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface GridColumn {
  readonly head: string;
  readonly isNumber: boolean;
  /** Represents columns that were left out. */
  readonly isGap?: boolean;
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  readonly rows: readonly (readonly GridCell[])[];
  /** Of the whole data, of which this is a part. */
  readonly omittedRows: number;
  readonly omittedColumns: number;
}

export interface GridOptions extends Page {
  readonly maxCellWidth?: number;
  /** After the note about omitted rows. */
  readonly hint?: string | undefined;
}

export function renderGrid(grid: Grid, { theme, width, maxCellWidth = 40, hint }: GridOptions): string[] {
  const { symbols } = theme;
  const wanted = grid.columns.map(({ head }, at) => {
    const cells = grid.rows.map((row) => widthOf(row[at]?.text ?? ""));
    return Math.min(Math.max(widthOf(head), ...cells, 1), maxCellWidth);
  });
  const widths = fitColumns(wanted.slice(0, shownColumns(wanted, width)), width, 1);
  const separator = ` ${theme.dim(symbols.bar)} `;
  const rowLine = (cellAt: (at: number) => GridCell | undefined): string =>
    widths
      .map((columns, at) => {
        const { text = "", paint } = cellAt(at) ?? {};
        const align = grid.columns[at]?.isNumber ? "right" : "left";
        const cell = padCell(clip(text, columns, symbols.more), columns, align);
        return paint ? paint(cell) : cell;
      })
      .join(separator)
      .trimEnd();
  const lines = [
    rowLine((at) => ({ text: grid.columns[at]?.head ?? "", paint: theme.bold })),
    theme.dim(headerRule(widths, symbols)),
    ...grid.rows.map((row) => rowLine((at) => row[at])),
  ];
  const hidden = grid.columns.slice(widths.length).filter(({ isGap }) => isGap !== true).length;
  const omittedColumns = grid.omittedColumns + hidden;
  const omitted = [
    ...(grid.omittedRows > 0 ? [count(grid.omittedRows, "more row")] : []),
    ...(omittedColumns > 0 ? [count(omittedColumns, "more column")] : []),
  ];
  if (omitted.length === 0) return lines;
  const how = hint === undefined || grid.omittedRows === 0 ? "" : ` (${hint})`;
  return [...lines, theme.dim(clip(`${symbols.more} ${omitted.join(", ")}${how}`, width, symbols.more))];
}

/** As many of the first columns as fit when each is cut to the least width that still says something. */
function shownColumns(wanted: readonly number[], width: number): number {
  const least = Math.max(6, Math.min(10, Math.floor(width / 4)));
  let used = -COLUMN_GAP;
  const fitting = wanted.findIndex((columns) => {
    used += COLUMN_GAP + Math.min(columns, least);
    return used > width;
  });
  return fitting === -1 ? wanted.length : Math.max(1, fitting);
}
