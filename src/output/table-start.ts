/**
 * The start of the table that a cut falls in: what is left of a long table means little without its column names.
 *
 * A table is a stretch of lines that are equally long, or have columns of the same kind, below a line of names. Works on bytes, and
 * looks at each only once: text that is no table costs a line for every hundred thousand characters.
 */

const NEWLINE = 0x0a;
const SPACE = 0x20;
/** Of the first rows, with the names. */
const MOST_LINES = 20;
/** There may be a border or a title above the names. */
const LINES_ABOVE = 3;

/** Its first lines, and how many lines of it are before the cut. */
export interface TableStart {
  readonly lines: readonly string[];
  readonly passed: number;
}

export class TableSearch {
  #start: TableStart | undefined;
  /** Whether the line that comes next was begun before. */
  #isWithinLine = false;

  /** The first `end` of these bytes will not be seen again. */
  drop(bytes: Buffer, end: number): void {
    this.#start = this.at(bytes, end);
    this.#isWithinLine = true;
  }

  /** @param bytes what follows that which was dropped. @param cut in the first line that is to be shown. */
  at(bytes: Buffer, cut: number): TableStart | undefined {
    const row = lineStart(bytes, cut);
    const first = this.#isWithinLine ? bytes.indexOf(NEWLINE) + 1 : 0;
    if (this.#isWithinLine && (first === 0 || row < first)) return undefined;
    const model = isRule(bytes, row) ? lineEnd(bytes, row) + 1 : row;
    const shape = shapeOf(bytes, model, lineEnd(bytes, model));
    if (!hasColumns(shape)) return undefined;
    let start = row;
    let passed = 0;
    let isNames = false;
    while (start > first && !isNames) {
      const before = lineStart(bytes, start - 1);
      if (!isLike(bytes, before, start - 1, shape) && !isRule(bytes, before)) break;
      isNames = bytes[before] === SPACE && bytes[row] !== SPACE && startsAnother(bytes, before);
      start = before;
      passed += 1;
    }
    if (start === first && this.#isWithinLine && !isNames)
      return this.#start && { ...this.#start, passed: this.#start.passed + passed + 1 };
    if (start > first && !isNames && isAboveTable(bytes, lineStart(bytes, start - 1))) {
      start = lineStart(bytes, start - 1);
      passed += 1;
    }
    const lines = linesFrom(bytes, start, Math.min(MOST_LINES + LINES_ABOVE, passed));
    const above = lines
      .slice(0, LINES_ABOVE + 1)
      .findIndex((_, index) => isHeader(lines.slice(index), index));
    if (above < 0) return undefined;
    return { lines: lines.slice(above, above + MOST_LINES), passed: passed - above };
  }
}

/** What lines of one table have in common: how long they are, or how many there are of what separates columns. */
interface Shape {
  readonly bytes: number;
  readonly characters: number;
  readonly words: number;
  readonly tabs: number;
  readonly bars: number;
  readonly commas: number;
  /** Of two spaces or more. */
  readonly gaps: number;
}

function hasColumns({ tabs, commas, words }: Shape): boolean {
  return tabs > 0 || commas > 0 || words > 1;
}

function isLike(bytes: Buffer, from: number, to: number, row: Shape): boolean {
  if (to === from) return false;
  if (to - from === row.bytes) return true;
  const line = shapeOf(bytes, from, to);
  return (
    line.characters === row.characters ||
    (row.tabs > 0 && line.tabs === row.tabs) ||
    (row.bars > 1 && line.bars === row.bars) ||
    // Text in quotes may have some of its own.
    (row.commas > 0 && line.commas > 0) ||
    (row.gaps > 0 && line.gaps === row.gaps)
  );
}

function shapeOf(bytes: Buffer, from: number, to: number): Shape {
  let [characters, words, tabs, bars, commas, gaps, spaces] = [0, 0, 0, 0, 0, 0, 1];
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    characters += 1;
    if (byte === SPACE) {
      spaces += 1;
      continue;
    }
    if (spaces > 0) words += 1;
    if (spaces > 1 && words > 1) gaps += 1;
    spaces = 0;
    if (byte === 0x09) tabs += 1;
    else if (byte === 0x2c) commas += 1;
    else if (byte === 0x7c || isBoxBar(bytes, at)) bars += 1;
  }
  return { bytes: to - from, characters, words, tabs, bars, commas, gaps };
}

/** │ and ┃ */
function isBoxBar(bytes: Buffer, at: number): boolean {
  const last = bytes[at + 2];
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x94 && (last === 0x82 || last === 0x83);
}

/** A line that is drawn under the names, or around the table. */
function isRule(bytes: Buffer, from: number): boolean {
  const end = Math.min(lineEnd(bytes, from), from + LONGEST_RULE);
  return RULE.test(bytes.toString("utf8", from, end).replace(/\ufffd$/, ""));
}

/** Looked at of it, in bytes. */
const LONGEST_RULE = 200;
const RULE = /^[-=+|:_~\s\u2500-\u257f]*[-=_~\u2500-\u257f]{2}[-=+|:_~\s\u2500-\u257f]*$/;

/** Names without a number, in lines that are alike: two tables of the same width, one after the other. */
function startsAnother(bytes: Buffer, from: number): boolean {
  const lines = linesFrom(bytes, from, 3);
  return !/\d/.test(lines[0] ?? "") && isHeader(lines);
}

/** Names that are not as long as the rows: of columns to whose right nothing is filled up. */
function isAboveTable(bytes: Buffer, from: number): boolean {
  const [names = "", second = "", third = ""] = linesFrom(bytes, from, 3);
  if (names.trim() === "") return false;
  if (RULE.test(second)) return true;
  const columns = fieldsOf(third).length;
  const named = fieldsOf(names).length;
  return named > 1 && (named === columns || named === columns - 1) && isHeader([names, second, third]);
}

/** Whether the first of these lines has the names of the columns below it. @param above the lines that are above it. */
function isHeader(lines: readonly string[], above = 0): boolean {
  const [names = "", second = "", third = ""] = lines;
  if (third === "" || RULE.test(names)) return false;
  if (RULE.test(second)) return true;
  const commas = lines.slice(1).map((line) => line.split(",").length);
  // Of a file with commas, each row has at least as many as the names.
  if (!/\t|\||[│┃]| {2}/.test(third) && names.split(",").length !== Math.min(...commas)) return false;
  // The index has no name.
  if (above === 0 && /^\s/.test(names) && /^\S/.test(third)) return true;
  return !hasNumber(names) && hasNumber(third);
}

function hasNumber(line: string): boolean {
  return line.split(/[\s|│┃,]+/).some((word) => /^"?[-+]?[$€£]?\d[\d.:/-]*(e[-+]?\d+)?%?"?$/i.test(word));
}

function fieldsOf(line: string): string[] {
  return line.trim().split(/\s*[\t|│┃,]\s*|\s{2,}/);
}

function linesFrom(bytes: Buffer, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; lines.length < count; ) {
    const end = lineEnd(bytes, at);
    lines.push(bytes.toString("utf8", at, end));
    at = end + 1;
  }
  return lines;
}

/** Of the line that this byte is in; a newline is in the line that it ends. */
function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(NEWLINE, from);
  return end < 0 ? bytes.length : end;
}
