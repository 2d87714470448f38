/**
 * The text laid out in rows of a width: what is drawn, where the cursor is, and which offset a column of a row has. Pure
 * geometry. A row breaks after a space where it can, inside a word where it must.
 */

import { displayWidth, expandTabs, type Grapheme, graphemesOf, isPlainAscii } from "./graphemes.ts";

export interface Row {
  readonly start: number;
  /** Exclusive; without the line feed. */
  readonly end: number;
  /** As drawn: tabs are spaces. */
  readonly text: string;
  /** False where the row is the continuation of a soft-wrapped line. */
  readonly startsLine: boolean;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export function layOut({ text, cursor }: { text: string; cursor: number }, width: number): Layout {
  const columns = Math.max(2, width);
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    rows.push(...wrapLine(line, start, columns));
    const end = start + line.length;
    const last = rows.at(-1);
    // A cursor after a full row needs a column that the row no longer has.
    if (cursor === end && last !== undefined && displayWidth(last.text) >= columns) {
      rows.push({ start: end, end, text: "", startsLine: false });
    }
    start = end + 1;
  }
  const cursorRow = rows.findLastIndex((row) => row.start <= cursor);
  const row = rows[cursorRow];
  const cursorColumn = row === undefined ? 0 : displayWidth(text.slice(row.start, Math.min(cursor, row.end)));
  return { rows, cursorRow, cursorColumn };
}

function wrapLine(line: string, offset: number, columns: number): Row[] {
  const rows: Row[] = [];
  const add = (from: number, to: number): void => {
    rows.push({
      start: offset + from,
      end: offset + to,
      text: expandTabs(line.slice(from, to)),
      startsLine: from === 0,
    });
  };
  if (displayWidth(line) <= columns) {
    add(0, line.length);
    return rows;
  }
  let rowStart = 0;
  if (isPlainAscii(line)) {
    for (let cut = asciiCut(line, 0, columns); cut < line.length; cut = asciiCut(line, rowStart, columns)) {
      add(rowStart, cut);
      rowStart = cut;
    }
    add(rowStart, line.length);
    return rows;
  }
  let used = 0;
  let usedAtBreak = 0;
  let breakAt = 0;
  for (const { text, start, width } of graphemesOf(line)) {
    // Twice at most: what a soft break carries over may leave no room for a wide character.
    while (used > 0 && used + width > columns) {
      const isBreakable = breakAt > rowStart && !isSpace(text);
      const cut = isBreakable ? breakAt : start;
      add(rowStart, cut);
      used = isBreakable ? used - usedAtBreak : 0;
      rowStart = cut;
    }
    used += width;
    if (isSpace(text)) {
      breakAt = start + text.length;
      usedAtBreak = used;
    }
  }
  add(rowStart, line.length);
  return rows;
}

/** The same rule where every character is one column wide, without looking at each. */
function asciiCut(line: string, rowStart: number, columns: number): number {
  const limit = rowStart + columns;
  if (limit >= line.length) return line.length;
  const space = line[limit] === " " ? -1 : line.lastIndexOf(" ", limit - 1);
  return space < rowStart ? limit : space + 1;
}

function isSpace(text: string): boolean {
  return text === " " || text === "\t";
}

/** The offset under a column of a row: that of the grapheme that covers it, or the end of the row. */
export function offsetAt(text: string, { rows }: Layout, row: number, column: number): number {
  const found = rows[Math.max(0, Math.min(row, rows.length - 1))];
  if (found === undefined) return 0;
  let used = 0;
  let last: Grapheme | undefined;
  for (const grapheme of graphemesOf(text.slice(found.start, found.end))) {
    if (used + grapheme.width > column) return found.start + grapheme.start;
    used += grapheme.width;
    last = grapheme;
  }
  // The end of a soft-wrapped row is drawn as the start of the next one: stay before its last grapheme instead.
  const next = rows[row + 1];
  if (last !== undefined && next !== undefined && !next.startsLine) return found.start + last.start;
  return found.end;
}

/** The prompt symbol and the space after it. */
export const PROMPT_WIDTH = 2;

/** Columns for the text: after the prompt symbol, with one left free for the cursor. */
export function editorWidth(columns: number): number {
  return columns - PROMPT_WIDTH - 1;
}
