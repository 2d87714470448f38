/**
 * What of an item's lines has not been printed yet. With the width and the colours that it was printed with, the printed lines are its
 * first ones; after a change of either, the letters that were printed are skipped. Pure.
 */

import { widthOf } from "../text/lines.ts";

/** Space, and what is drawn around text: how much of it there is depends on the width. */
const AROUND = /[\s│|─┼]/g;

export function unprintedLines(lines: readonly string[], printed: readonly string[]): readonly string[] {
  if (printed.length === 0) return lines;
  if (printed.every((line, at) => line === lines[at])) return lines.slice(printed.length);
  const done = printed.map(lettersOf).join("");
  let left = done;
  for (const [at, line] of lines.entries()) {
    const letters = lettersOf(line);
    if (left.length >= letters.length && left.startsWith(letters)) {
      left = left.slice(letters.length);
      continue;
    }
    // Something else was printed: better twice than never.
    if (!letters.startsWith(left)) return lines;
    if (left === "") return afterGap(lines.slice(at - gapBefore(lines, at)), printed);
    return [afterLetters(line, left.length), ...lines.slice(at + 1)];
  }
  return left === "" ? afterGap(lines.slice(lines.length - gapBefore(lines, lines.length)), printed) : [];
}

function lettersOf(line: string): string {
  return Bun.stripANSI(line).replace(AROUND, "");
}

/** How many empty lines there are right before a line. */
function gapBefore(lines: readonly string[], at: number): number {
  const last = lines.slice(0, at).findLastIndex((line) => lettersOf(line) !== "");
  return at - 1 - last;
}

/** Without the empty line that was printed as well. */
function afterGap(lines: readonly string[], printed: readonly string[]): readonly string[] {
  return printed.at(-1) === "" && lines[0] === "" ? lines.slice(1) : lines;
}

/** The rest of a line after this many letters. */
function afterLetters(line: string, count: number): string {
  const plain = Bun.stripANSI(line);
  let [columns, letters] = [0, 0];
  for (const sign of plain) {
    if (letters >= count) break;
    columns += widthOf(sign);
    letters += lettersOf(sign).length;
  }
  const gap = /^\s*/.exec(plain.slice(plainIndex(plain, columns)))?.[0].length ?? 0;
  return Bun.sliceAnsi(line, columns + gap);
}

/** The index of the character at a column. */
function plainIndex(plain: string, columns: number): number {
  let [index, column] = [0, 0];
  for (const sign of plain) {
    if (column >= columns) break;
    column += widthOf(sign);
    index += sign.length;
  }
  return index;
}
