/** A table in a width: columns as wide as they want, the widest give way first, cells wrap. Too narrow for columns, it is a list of rows. */

import { brokenLines } from "../text/lines.ts";
import type { Theme } from "../theme.ts";
import type { Cell } from "./parse.ts";

const minColumn = 4;

export interface TableContent {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

export function renderTable(
  { header, rows }: TableContent,
  { theme, width }: { theme: Theme; width: number },
): string[] {
  const count = header.length;
  const room = width - 3 * (count - 1);
  // Without a rule there is nothing to see columns by: it is read, not looked at.
  if (room < count * minColumn || theme.symbols.rule === "")
    return asRecords({ header, rows }, { theme, width });
  const widths = columnWidths([header, ...rows], count, room);
  const isAscii = theme.symbols.rule === "-";
  const rule = widths.map((columns) => theme.symbols.rule.repeat(columns));
  const cross = theme.symbols.rule + (isAscii ? "+" : "┼") + theme.symbols.rule;
  const bar = ` ${theme.dim(theme.symbols.bar)} `;
  const bold = header.map((cell) => ({ ...cell, text: theme.bold(cell.text) }));
  return [
    ...rowLines(bold, widths, bar),
    theme.dim(rule.join(cross)),
    ...rows.flatMap((row) =>
      rowLines(
        header.map((head, at) => row[at] ?? { text: "", align: head.align }),
        widths,
        bar,
      ),
    ),
  ];
}

function columnWidths(rows: readonly (readonly Cell[])[], count: number, room: number): number[] {
  const wanted = Array.from({ length: count }, (_, at) =>
    Math.max(
      1,
      ...rows.map((row) =>
        Math.max(...(row[at]?.text ?? "").split("\n").map((line) => Bun.stringWidth(line))),
      ),
    ),
  );
  // The widest columns are cut to one common width that just fits.
  let limit = Math.max(...wanted);
  const total = (most: number): number => wanted.reduce((sum, one) => sum + Math.min(one, most), 0);
  while (limit > minColumn && total(limit) > room) limit--;
  return wanted.map((one) => Math.min(one, limit));
}

function rowLines(cells: readonly Cell[], widths: readonly number[], bar: string): string[] {
  const columns = cells.map(({ text }, at) =>
    text.split("\n").flatMap((line) => brokenLines(line, widths[at] ?? 1, {})),
  );
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map(({ align }, at) => padded(columns[at]?.[line] ?? "", widths[at] ?? 1, align))
      .join(bar)
      .trimEnd(),
  );
}

function padded(text: string, width: number, align: Cell["align"]): string {
  const missing = Math.max(0, width - Bun.stringWidth(text));
  if (align === "right") return " ".repeat(missing) + text;
  if (align === "center") return " ".repeat(missing >> 1) + text + " ".repeat(missing - (missing >> 1));
  return text + " ".repeat(missing);
}

function asRecords(
  { header, rows }: TableContent,
  { theme, width }: { theme: Theme; width: number },
): string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...header.flatMap((head, column) =>
      `${theme.bold(`${head.text}:`)} ${row[column]?.text ?? ""}`
        .split("\n")
        .flatMap((line) => brokenLines(line, width, {})),
    ),
  ]);
}
