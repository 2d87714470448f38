/** A list of records as a table of one line a row: numbers to the right, long cells cut, rows and columns limited. */

import { clip } from "../text/lines.ts";
import { isContainer, keyText, type Look, painted, scalarText, sizeNote } from "./scalar.ts";

export type DataRecord = Readonly<Record<string, unknown>>;

export interface TableOptions extends Look {
  readonly maxRows?: number;
  readonly maxCellWidth?: number;
}

const minCellWidth = 6;

/** The value as records, when it is a list of objects that look alike; else undefined. */
export function recordsOf(value: unknown): readonly DataRecord[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const sample = value.slice(0, 50);
  const isRecord = (item: unknown): item is DataRecord => isContainer(item) && !Array.isArray(item);
  if (!sample.every(isRecord) || sample.some((item) => Object.keys(item).length === 0)) return undefined;
  const columns = columnsOf(sample);
  const filled = sample.reduce((sum, item) => sum + Object.keys(item).length, 0);
  // Half empty, it is no table.
  return filled * 2 >= columns.length * sample.length ? value.filter(isRecord) : undefined;
}

function columnsOf(records: readonly DataRecord[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

interface Column {
  readonly key: string;
  readonly head: string;
  readonly width: number;
  readonly isNumber: boolean;
}

export function renderRecords(records: readonly DataRecord[], options: TableOptions): string[] {
  const { theme, width, maxRows = 20, maxCellWidth = 40 } = options;
  const shown = records.length <= maxRows + 1 ? records : records.slice(0, maxRows);
  const wanted = columnsOf(shown).map((key) => columnOf(key, shown, maxCellWidth));
  const columns = fitting(wanted, width);
  const { signs } = theme;
  const gap = ` ${theme.dim(signs.bar)} `;
  const cross = signs.rule + (signs.rule === "-" ? "+" : "┼") + signs.rule;
  const lines = [
    columns.map((column) => theme.bold(cell(column.head, column, signs.more))).join(gap),
    theme.dim(columns.map((column) => signs.rule.repeat(column.width)).join(cross)),
    ...shown.map((record) =>
      columns
        .map((column) => {
          const value = record[column.key];
          return painted(
            cell(cellText(value), column, signs.more),
            typeof value === "string" ? undefined : value,
            theme,
          );
        })
        .join(gap),
    ),
  ];
  const notes = [
    ...(shown.length < records.length ? [`${records.length - shown.length} more rows`] : []),
    ...(columns.length < wanted.length ? [`${wanted.length - columns.length} more columns`] : []),
  ];
  const note =
    notes.length === 0 ? [] : [theme.dim(clip(`${signs.more} ${notes.join(", ")}`, width, signs.more))];
  return [...lines.map((line) => line.trimEnd()), ...note];
}

function columnOf(key: string, records: readonly DataRecord[], maxCellWidth: number): Column {
  const head = keyText(key);
  const values = records.map((record) => record[key]);
  const widest = Math.max(Bun.stringWidth(head), ...values.map((value) => Bun.stringWidth(cellText(value))));
  const isNumber = values.every(
    (value) => typeof value === "number" || value === null || value === undefined,
  );
  return { key, head, width: Math.min(widest, maxCellWidth), isNumber };
}

/** The widest columns give way; when that is not enough, the last ones go. */
function fitting(columns: readonly Column[], width: number): Column[] {
  const shown = [...columns];
  const total = (most: number): number =>
    shown.reduce((sum, column) => sum + Math.min(column.width, most), 3 * (shown.length - 1));
  while (shown.length > 1 && total(minCellWidth) > width) shown.pop();
  let most = Math.max(...shown.map((column) => column.width));
  while (most > 1 && total(most) > width) most--;
  return shown.map((column) => ({ ...column, width: Math.min(column.width, most) }));
}

function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (isContainer(value)) return sizeNote(value);
  // Without the quotes: a cell is not code.
  return typeof value === "string"
    ? scalarText(value).slice(1, -1).replaceAll('\\"', '"')
    : scalarText(value);
}

function cell(text: string, { width, isNumber }: Column, more: string): string {
  const shown = clip(text, width, more);
  const missing = " ".repeat(Math.max(0, width - Bun.stringWidth(shown)));
  return isNumber ? missing + shown : shown + missing;
}
