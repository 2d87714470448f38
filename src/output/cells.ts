/**
 * A line as the columns of a terminal. Each cell holds the character shown there with the marks that combine with it; a
 * character that is wider than one column (CJK, emoji, tab) is followed by empty cells.
 */

const TAB_STOP = 8;
/** More marks on one character than any script has are dropped: a cell must not grow without end. */
const LONGEST_CELL = 1024;

export function cellsOf(text: string): string[] {
  const cells: string[] = [];
  for (const character of text) overwrite(cells, cells.length, character);
  return cells;
}

export function joinCells(cells: readonly string[]): string {
  return cells.join("");
}

/** Puts one character (code point) at `column` and returns the column after it. */
export function overwrite(cells: string[], column: number, character: string): number {
  if (character === "\t") return tab(cells, column);
  const width = characterWidth(character);
  if (width === 0) {
    combine(cells, column, character);
    // A mark with nothing to combine with takes a cell of its own.
    return column === 0 && cells.length === 0 ? cells.push(character) : column;
  }
  while (cells.length < column) cells.push(" ");
  for (let at = column; at < column + width; at++) breakUp(cells, at);
  cells[column] = character;
  if (width === 2) cells[column + 1] = "";
  return column + width;
}

/** A tab at the end is kept as one; anywhere else it only moves. */
function tab(cells: string[], column: number): number {
  const next = column - (column % TAB_STOP) + TAB_STOP;
  if (column !== cells.length) return next;
  cells.push("\t");
  while (cells.length < next) cells.push("");
  return next;
}

function combine(cells: string[], column: number, mark: string): void {
  let at = Math.min(column, cells.length) - 1;
  while (at > 0 && cells[at] === "") at--;
  const cell = cells[at];
  if (cell !== undefined && cell.length + mark.length <= LONGEST_CELL) cells[at] = cell + mark;
}

/** A wide character that covered this column disappears from all its columns: a terminal leaves blanks. */
function breakUp(cells: string[], column: number): void {
  let start = column;
  while (start > 0 && cells[start] === "") start--;
  if (start !== column || cells[column + 1] === "") {
    cells[start] = " ";
    for (let at = start + 1; cells[at] === ""; at++) cells[at] = " ";
  }
}

function characterWidth(character: string): number {
  const code = character.charCodeAt(0);
  if (code >= 0x20 && code < 0x7f) return 1;
  return Bun.stringWidth(character);
}
