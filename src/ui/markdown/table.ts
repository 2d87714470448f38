/** A table in a width: the widest columns are narrowed first, and cells wrap. Where there is no room for columns, it becomes a list of records. */

import { COLUMN_GAP, fitColumns, headerRule, padCell } from "../text/columns.ts";
import { brokenLines } from "../text/lines.ts";
import type { Page } from "../view.ts";
import type { Cell } from "./parse.ts";

const MIN_COLUMN = 4;

export interface TableContent {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

export function renderTable({ header, rows }: TableContent, page: Page): string[] {
  const { theme, width } = page;
  const { rule, bar } = theme.symbols;
  const least = header.length * (MIN_COLUMN + COLUMN_GAP) - COLUMN_GAP;
  // Without a rule, as for a screen reader, there is nothing to see columns by.
  if (width < least || rule === "") return renderRecords({ header, rows }, page);
  const wanted = header.map((_, at) =>
    Math.max(1, ...[header, ...rows].flatMap((row) => linesOf(row[at]).map((line) => Bun.stringWidth(line)))),
  );
  const widths = fitColumns(wanted, width, MIN_COLUMN);
  const separator = ` ${theme.dim(bar)} `;
  const bold = header.map((cell) => ({ ...cell, text: theme.bold(cell.text) }));
  const whole = rows.map((row) => header.map(({ align }, at) => row[at] ?? { text: "", align }));
  return [
    ...rowLines(bold, widths, separator),
    theme.dim(headerRule(widths, theme.symbols)),
    ...whole.flatMap((row) => rowLines(row, widths, separator)),
  ];
}

function linesOf(cell: Cell | undefined): string[] {
  return (cell?.text ?? "").split("\n");
}

function rowLines(cells: readonly Cell[], widths: readonly number[], separator: string): string[] {
  const columns = cells.map((cell, at) =>
    linesOf(cell).flatMap((line) => brokenLines(line, widths[at] ?? 1, {})),
  );
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map(({ align }, at) => padCell(columns[at]?.[line] ?? "", widths[at] ?? 1, align))
      .join(separator)
      .trimEnd(),
  );
}

function renderRecords({ header, rows }: TableContent, { theme, width }: Page): string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...header.flatMap((head, column) =>
      `${theme.bold(`${head.text}:`)} ${row[column]?.text ?? ""}`
        .split("\n")
        .flatMap((line) => brokenLines(line, width, {})),
    ),
  ]);
}
