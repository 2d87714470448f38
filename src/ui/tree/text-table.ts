/** A data frame's own table as the tool read it: rows of text, with the size of the whole frame. */

import { asRecord } from "../../protocol/record.ts";
import { plainText } from "../text/lines.ts";
import { type GridCell, type GridColumn, renderGrid } from "./grid.ts";
import type { TableOptions } from "./record-table.ts";

export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly rowCount: number;
  readonly columnCount: number;
}

const NUMBER = /^(?:[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?\s?%?|nan|-?inf|<na>|nat|none|)$/i;
/** How pandas writes a row or a column that it leaves out. */
const DOTS = /^(?:\.\.\.|…)$/;

/** The value if it is such a table: session logs may have been written by another version. */
export function textTableOf(value: unknown): TextTable | undefined {
  const { columns, rows, rowCount, columnCount } = asRecord(value);
  if (!isTexts(columns) || !Array.isArray(rows) || !rows.every(isTexts)) return undefined;
  if (typeof rowCount !== "number" || typeof columnCount !== "number") return undefined;
  return { columns, rows, rowCount, columnCount };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

export function renderTextTable(table: TextTable, options: TableOptions): string[] {
  const { maxRows = 20, theme } = options;
  const { length } = table.rows;
  const shown = length <= maxRows + 1 ? table.rows : table.rows.slice(0, maxRows);
  const dotted = (text: string): string => (DOTS.test(text) ? theme.symbols.more : oneLine(text));
  const columns = table.columns.map((head, at): GridColumn => {
    const cells = shown.map((row) => row[at] ?? "");
    return {
      head: dotted(head),
      isGap: DOTS.test(head),
      isNumber: cells.every((cell) => NUMBER.test(cell) || DOTS.test(cell)),
    };
  });
  const rows = shown.map((row) =>
    // A first column without a name is the index.
    row.map((text, at): GridCell => {
      const isFaint = (at === 0 && table.columns[0] === "") || DOTS.test(text);
      return { text: dotted(text), paint: isFaint ? theme.dim : undefined };
    }),
  );
  const presentRows = shown.filter((row) => !row.every((cell) => DOTS.test(cell))).length;
  const grid = {
    columns,
    rows,
    omittedRows: table.rowCount - presentRows,
    omittedColumns: omittedColumns(table),
  };
  // Expanding does not show what the frame itself left out.
  return renderGrid(grid, { ...options, hint: shown.length < length ? options.hint : undefined });
}

/** The frame's own count does not include its index. */
function omittedColumns({ columns, columnCount }: TextTable): number {
  const dots = columns.filter((head) => DOTS.test(head)).length;
  return dots > 0 ? columnCount - (columns.length - dots - 1) : Math.max(0, columnCount - columns.length);
}

function oneLine(text: string): string {
  return plainText(text).replaceAll("\n", " ");
}
