/** What commands print: JSON for scripts, tables for people. */

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** One line per row. The last cell of a row may be a sentence, and pushes no other row aside. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
  const padded = (cell: string, column: number) =>
    cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padded(cell, column)))
      .join("  ")
      .trimEnd(),
  );
}

export function tableText(rows: readonly (readonly string[])[]): string {
  return `${tableLines(rows).join("\n")}\n`;
}
