/**
 * The line that a program is still writing, as a terminal shows it: `\r` and `\b` move, what is printed there overwrites, erase
 * sequences erase. A line is passed on when it is finished; of a line that never ends, `rowWidth` characters at a time are,
 * as if the terminal were that wide: `\r` then goes back to the start of the last row. So memory is bounded.
 */

import { cellsOf, joinCells, overwrite } from "./cells.ts";
import { isHighSurrogate } from "./utf8.ts";

const ROW_WIDTH = 16_384;
/** How far a cursor may be sent past the end of its line. Real terminals stop at their edge. */
const FARTHEST_JUMP = 512;

/** Characters that take exactly one column and one UTF-16 unit, so that columns are indexes. Far from complete: the common ones. */
const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f\u2500-\u25fc\u2800-\u28ff]*$/;

export class TerminalLine {
  readonly #pass: (text: string) => void;
  /** The line while all that was overwritten in it is narrow; after that, its cells. */
  #text = "";
  #cells: string[] | undefined;
  /** The cursor, where it is not at the end. */
  #column: number | undefined;
  /** Blanks at the end of a line that was rewritten are what erased it, not output. */
  #rewritten = false;

  constructor(pass: (text: string) => void) {
    this.#pass = pass;
  }

  get isEmpty(): boolean {
    return this.#cells === undefined ? this.#text === "" : this.#cells.length === 0;
  }

  /** Printable text, newlines and tabs. */
  print(text: string): void {
    if (this.#column === undefined && this.#cells === undefined && !this.#rewritten) {
      this.#append(text);
      return;
    }
    const end = text.indexOf("\n");
    this.#overwrite(end === -1 ? text : text.slice(0, end));
    if (end === -1) return;
    this.#pass(`${this.take()}\n`);
    if (end + 1 < text.length) this.#append(text.slice(end + 1));
  }

  carriageReturn(): void {
    this.#column = 0;
  }

  backspace(): void {
    this.#moveTo(this.#cursor() - 1);
  }

  /** Acts on sequences that stay within the line, and ignores others. */
  csi(parameters: string, final: string): void {
    if (final === "m" || !/^\d*$/.test(parameters)) return;
    const count = Math.max(1, Number(parameters));
    if (final === "K") this.#erase(Number(parameters));
    else if (final === "J" && Number(parameters) === 0) this.#erase(0);
    else if (final === "C") this.#moveTo(this.#cursor() + count);
    else if (final === "D") this.#moveTo(this.#cursor() - count);
    else if (final === "G") this.#moveTo(count - 1);
  }

  /** Returns the line as it is now, and starts a new one. */
  take(): string {
    let line = this.#cells === undefined ? this.#text : joinCells(this.#cells);
    if (this.#rewritten) {
      let end = line.length;
      while (end > 0 && line[end - 1] === " ") end--;
      line = line.slice(0, end);
    }
    this.#text = "";
    this.#cells = undefined;
    this.#column = undefined;
    this.#rewritten = false;
    return line;
  }

  /** The fast path: the cursor is at the end and always was. */
  #append(text: string): void {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      this.#pass(this.#text === "" && end === text.length ? text : this.#text + text.slice(0, end));
      this.#text = "";
    }
    this.#appendToLine(end === 0 ? text : text.slice(end));
  }

  /** Text without newlines. Full rows are passed on. */
  #appendToLine(text: string): void {
    let rest = text;
    while (this.#text.length + rest.length > ROW_WIDTH) {
      let row = ROW_WIDTH - this.#text.length;
      if (isHighSurrogate(rest.charCodeAt(row - 1))) row++;
      this.#pass(this.#text);
      this.#pass(rest.slice(0, row));
      this.#text = "";
      this.#rewritten = false;
      rest = rest.slice(row);
    }
    this.#text += rest;
  }

  #overwrite(text: string): void {
    if (text === "") return;
    const column = this.#cursor();
    if (this.#cells === undefined && column === this.#text.length) {
      this.#column = undefined;
      this.#appendToLine(text);
    } else if (this.#cells === undefined && NARROW.test(this.#text) && NARROW.test(text)) {
      this.#rewritten = true;
      const rest = this.#text.slice(column + text.length);
      this.#column = rest === "" ? undefined : column + text.length;
      this.#text = this.#text.slice(0, column).padEnd(column);
      this.#appendToLine(text + rest);
    } else {
      this.#overwriteCells(text, column);
    }
  }

  #overwriteCells(text: string, from: number): void {
    const cells = this.#asCells();
    if (from !== cells.length) this.#rewritten = true;
    let column = from;
    let at = 0;
    for (const character of text) {
      if (column >= ROW_WIDTH && column >= cells.length) {
        this.#pass(joinCells(cells));
        this.#rewritten = false;
        this.take();
        this.#append(text.slice(at));
        return;
      }
      column = overwrite(cells, column, character);
      at += character.length;
    }
    this.#column = column;
  }

  #erase(which: number): void {
    const column = this.#cursor();
    const length = this.#length();
    if (which > 2 || (which === 0 && column >= length)) return;
    this.#column = column;
    this.#rewritten = true;
    if (this.#cells === undefined && which !== 1 && NARROW.test(this.#text)) {
      this.#text = which === 0 ? this.#text.slice(0, column) : "";
      return;
    }
    const cells = this.#asCells();
    // Blanks, not a cut: half of a wide character must go as a whole, and the cursor stays where it is.
    const [from, to] = which === 0 ? [column, length] : which === 1 ? [0, column + 1] : [0, length];
    for (let at = from; at < Math.min(to, length); at++) overwrite(cells, at, " ");
    if (which !== 1) cells.length = Math.min(length, from);
  }

  #moveTo(column: number): void {
    const length = this.#length();
    const edge = Math.max(length, FARTHEST_JUMP, this.#column ?? 0);
    const target = Math.max(0, Math.min(column, edge));
    this.#column = target === length ? undefined : target;
  }

  #cursor(): number {
    return this.#column ?? this.#length();
  }

  /** In columns. */
  #length(): number {
    if (this.#cells === undefined && NARROW.test(this.#text)) return this.#text.length;
    return this.#asCells().length;
  }

  #asCells(): string[] {
    this.#cells ??= cellsOf(this.#text);
    this.#text = "";
    return this.#cells;
  }
}
