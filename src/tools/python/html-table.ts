/**
 * The table that a data frame shows as HTML, as rows of text, for a screen that lays it out itself. Bounded: a frame of a million rows
 * shows a few of them, but a page may say anything.
 */

import { decodeEntities } from "./html-to-markdown.ts";

export interface HtmlTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of the whole: what the frame says beneath its table, or what was read, of which not all need be here. */
  readonly rowCount: number;
  readonly columnCount: number;
}

const MAX_ROWS = 200;
const MAX_COLUMNS = 60;
const MAX_CELL_CHARS = 200;
const MAX_HTML_CHARS = 2_000_000;
/** pandas: `1000 rows × 30 columns`. The columns do not count the index. */
const SHAPE = /([\d,]+) rows × ([\d,]+) columns/;

/** Undefined for a page without a table or with several. */
export function parseHtmlTable(html: string): HtmlTable | undefined {
  if (html.length > MAX_HTML_CHARS || html.split(/<table\b/i).length !== 2) return undefined;
  const reader = new TableReader();
  new HTMLRewriter()
    .on("thead", {
      element: (head) => {
        reader.isHead = true;
        head.onEndTag(() => {
          reader.isHead = false;
        });
      },
    })
    .on("tr", { element: () => reader.startRow() })
    .on("td, th", {
      element: (cell) => {
        reader.startCell({
          columns: spanOf(cell.getAttribute("colspan")),
          rows: spanOf(cell.getAttribute("rowspan")),
        });
      },
      text: (chunk) => reader.add(chunk.text),
    })
    .transform(html);
  return reader.table(SHAPE.exec(html));
}

function spanOf(attribute: string | null): number {
  const span = Number.parseInt(attribute ?? "1", 10);
  return span >= 1 && span <= 1_000 ? span : 1;
}

class TableReader {
  isHead = false;
  readonly #heads: string[][] = [];
  readonly #rows: string[][] = [];
  #row: string[] = [];
  #at = 0;
  #rowCount = 0;
  #columnCount = 0;
  /** Rows that a cell of an earlier row still covers, by column. */
  #covered: number[] = [];

  startRow(): void {
    this.#row = [];
    if (this.isHead) this.#heads.push(this.#row);
    else {
      this.#rowCount += 1;
      if (this.#rows.length < MAX_ROWS) this.#rows.push(this.#row);
    }
  }

  startCell({ columns, rows }: { columns: number; rows: number }): void {
    while ((this.#covered[this.#row.length] ?? 0) > 0) this.#fill();
    this.#at = this.#row.length;
    for (let each = 0; each < columns; each++) {
      this.#covered[this.#row.length] = rows - 1;
      this.#row.push("");
    }
    this.#columnCount = Math.max(this.#columnCount, this.#row.length);
  }

  /** What is below a cell of several rows. */
  #fill(): void {
    const at = this.#row.length;
    this.#covered[at] = (this.#covered[at] ?? 0) - 1;
    this.#row.push("");
  }

  add(text: string): void {
    const before = this.#row[this.#at] ?? "";
    if (before.length < MAX_CELL_CHARS) this.#row[this.#at] = before + text;
  }

  table(shape: RegExpExecArray | null): HtmlTable | undefined {
    if (this.#rowCount + this.#heads.length === 0 || this.#columnCount === 0) return undefined;
    const count = Math.min(this.#columnCount, MAX_COLUMNS);
    const at = Array.from({ length: count }, (_, column) => column);
    const cell = (row: readonly string[], column: number) => textOf(row[column] ?? "");
    // Several rows of headings (levels, the index's name) make one.
    const columns = at.map((column) =>
      this.#heads
        .map((row) => cell(row, column))
        .filter((head) => head !== "")
        .join(" "),
    );
    return {
      columns,
      rows: this.#rows.map((row) => at.map((column) => cell(row, column))),
      rowCount: Math.max(this.#rowCount, numberIn(shape?.[1])),
      columnCount: Math.max(this.#columnCount, numberIn(shape?.[2])),
    };
  }
}

function numberIn(text: string | undefined): number {
  return Number.parseInt((text ?? "0").replaceAll(",", ""), 10);
}

function textOf(html: string): string {
  return decodeEntities(html).replace(/\s+/g, " ").trim().slice(0, MAX_CELL_CHARS);
}
