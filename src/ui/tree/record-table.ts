/** A list of records as a table of one line a row. */

import type { Page } from "../view.ts";
import { type GridCell, type GridColumn, renderGrid } from "./grid.ts";
import { isContainer, keyText, paintValue, scalarText, sizeNote } from "./scalar.ts";

export type DataRecord = Readonly<Record<string, unknown>>;

export interface TableOptions extends Page {
  readonly maxRows?: number;
  readonly maxCellWidth?: number;
  readonly hint?: string | undefined;
}

/** The value as records, when it is a list of objects that look alike; else undefined. */
export function recordsOf(value: unknown): readonly DataRecord[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const sample = value.slice(0, 50);
  const isRecord = (item: unknown): item is DataRecord => isContainer(item) && !Array.isArray(item);
  if (!sample.every(isRecord) || sample.some((item) => Object.keys(item).length === 0)) return undefined;
  const columns = columnsOf(sample);
  const filled = sample.reduce((sum, item) => sum + Object.keys(item).length, 0);
  // Half empty, it is not a table.
  return filled * 2 >= columns.length * sample.length ? value.filter(isRecord) : undefined;
}

function columnsOf(records: readonly DataRecord[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

export function renderRecords(records: readonly DataRecord[], options: TableOptions): string[] {
  const { maxRows = 20, theme } = options;
  const shown = records.length <= maxRows + 1 ? records : records.slice(0, maxRows);
  const keys = columnsOf(shown);
  const columns = keys.map((key): GridColumn => {
    const isNumber = shown.every((record) =>
      ["number", "undefined"].includes(typeof (record[key] ?? undefined)),
    );
    return { head: keyText(key), isNumber };
  });
  const rows = shown.map((record) =>
    keys.map((key): GridCell => {
      const value = record[key];
      // Text in its own colour would make the table all green.
      const paint = typeof value === "string" ? undefined : (text: string) => paintValue(text, value, theme);
      return { text: cellText(value), paint };
    }),
  );
  const grid = { columns, rows, omittedRows: records.length - shown.length, omittedColumns: 0 };
  return renderGrid(grid, options);
}

function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (isContainer(value)) return sizeNote(value);
  // Without the quotes: a cell is not code.
  return typeof value === "string"
    ? scalarText(value).slice(1, -1).replaceAll('\\"', '"')
    : scalarText(value);
}
