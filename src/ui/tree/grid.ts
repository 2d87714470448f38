/** Cells of one line each as a table: numbers to the right, long cells cut, what does not fit counted beneath. */

import { count } from "../../format/numbers.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { Paint } from "../theme.ts";
import type { Look } from "./scalar.ts";

export interface GridCell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface GridColumn {
  readonly head: string;
  readonly isNumber: boolean;
  /** Stands for columns that are not there. */
  readonly isGap?: boolean;
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  readonly rows: readonly (readonly GridCell[])[];
  /** Of the whole, of which this is a part. */
  readonly omittedRows: number;
  readonly omittedColumns: number;
}

export interface GridOptions extends Look {
  readonly maxCellWidth?: number;
  /** Behind the note on rows that are missing. */
  readonly hint?: string | undefined;
}

/** Narrower ones say too little; then fewer columns are shown. Less in a narrow window. */
const minCellWidth = (width: number): number => Math.max(6, Math.min(10, Math.floor(width / 4)));

interface Column extends GridColumn {
  readonly width: number;
}

export function renderGrid(grid: Grid, { theme, width, maxCellWidth = 40, hint }: GridOptions): string[] {
  const { symbols } = theme;
  const wanted = grid.columns.map((column, at): Column => {
    const cells = grid.rows.map((row) => widthOf(row[at]?.text ?? ""));
    return { ...column, width: Math.min(Math.max(widthOf(column.head), ...cells, 1), maxCellWidth) };
  });
  const columns = fitting(wanted, width);
  const gap = ` ${theme.dim(symbols.bar)} `;
  const cross = symbols.rule + (symbols.rule === "-" ? "+" : "┼") + symbols.rule;
  const plain: Paint = (text) => text;
  const lines = [
    columns.map((column) => theme.bold(padded(column.head, column, symbols.more))).join(gap),
    theme.dim(columns.map((column) => symbols.rule.repeat(column.width)).join(cross)),
    ...grid.rows.map((row) =>
      columns
        .map((column, at) => {
          const { text = "", paint = plain } = row[at] ?? {};
          return paint(padded(text, column, symbols.more));
        })
        .join(gap),
    ),
  ].map((line) => line.trimEnd());
  const missing = [
    ...(grid.omittedRows > 0 ? [count(grid.omittedRows, "more row")] : []),
    ...moreColumns(
      grid.omittedColumns + wanted.slice(columns.length).filter(({ isGap }) => isGap !== true).length,
    ),
  ];
  if (missing.length === 0) return lines;
  const note = `${symbols.more} ${missing.join(", ")}${hint === undefined || grid.omittedRows === 0 ? "" : ` (${hint})`}`;
  return [...lines, theme.dim(clip(note, width, symbols.more))];
}

function moreColumns(hidden: number): string[] {
  return hidden > 0 ? [count(hidden, "more column")] : [];
}

/** The widest columns give way; when that is not enough, the last ones go. */
function fitting(columns: readonly Column[], width: number): Column[] {
  const shown = [...columns];
  const total = (most: number): number =>
    shown.reduce((sum, column) => sum + Math.min(column.width, most), 3 * (shown.length - 1));
  while (shown.length > 1 && total(minCellWidth(width)) > width) shown.pop();
  let most = Math.max(...shown.map((column) => column.width));
  while (most > 1 && total(most) > width) most--;
  return shown.map((column) => ({ ...column, width: Math.min(column.width, most) }));
}

function padded(text: string, { width, isNumber }: Column, more: string): string {
  const shown = clip(text, width, more);
  const missing = " ".repeat(Math.max(0, width - widthOf(shown)));
  return isNumber ? missing + shown : shown + missing;
}
