/**
 * What a program printed, with its colours. Of all sequences only those that style text are left, one style at a time, and each line starts
 * and ends its own: a line can be cut, and painted over as a whole. What hides text or makes it blink is left out.
 */

import { MAX_LINE_CHARS, plainText } from "./lines.ts";

/** The parameters of a style are what it captures. */
const STYLE = /\p{Cc}\[([\d;:]*)m/u;
/** After it nothing is written: the cursor is only moved, for what may come. */
const LINE_END = /(?:\r|\p{Cc}\[[\d;:]*m)+$/u;

/** What is on, by the code that ends it. */
type Open = Map<number, string>;

/** @returns lines without styles where there are none. */
export function coloredLines(text: string): string[] {
  const open: Open = new Map();
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => coloredLine(line, open));
}

function coloredLine(line: string, open: Open): string {
  const whole = line.replace(LINE_END, "");
  const start = whole.lastIndexOf("\r") + 1;
  const shown = whole.slice(start);
  // What was overwritten may have left a colour on.
  applyStyles(whole.slice(0, start), open);
  const begin = [...open.values()].join("");
  const pieces = shown
    .split(STYLE)
    .map((piece, at) => (at % 2 === 0 ? plainText(piece) : change(piece, open)));
  const end = [...open.keys()].map(sequence).join("");
  applyStyles(line.slice(whole.length), open);
  const plain = pieces.filter((_, at) => at % 2 === 0).join("");
  const styled = `${begin}${pieces.join("")}${end}`;
  // A line that is cut later must not be cut inside a sequence.
  return plain.trim() === "" || styled.length > MAX_LINE_CHARS ? plain : styled;
}

function applyStyles(text: string, open: Open): void {
  for (const [at, piece] of text.split(STYLE).entries()) if (at % 2 === 1) change(piece, open);
}

/** Applies the parameters of one sequence. @returns what to write for them. */
function change(parameters: string, open: Open): string {
  const codes = parameters.split(";");
  let written = "";
  while (codes.length > 0) {
    const code = codes.shift() ?? "";
    const number = Number(code === "" ? 0 : code.split(":")[0]);
    if (number === 0) {
      written += [...open.keys()].map(sequence).join("");
      open.clear();
    } else if (ENDS.has(number)) {
      if (open.delete(number)) written += sequence(number);
    } else {
      const end = endOf(number);
      const style = sequence([code, ...colorOf(number, code, codes)].join(";"));
      if (end === undefined) continue;
      open.set(end, style);
      written += style;
    }
  }
  return written;
}

/** The numbers after 38 and 48: an index, or red, green and blue. */
function colorOf(number: number, code: string, codes: string[]): string[] {
  if ((number !== 38 && number !== 48) || code.includes(":")) return [];
  return codes.splice(0, codes[0] === "2" ? 4 : 2);
}

const ENDS = new Set([22, 23, 24, 27, 29, 39, 49]);

/** The code that ends a style; undefined for one that is not let through. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if (code === 3 || code === 4 || code === 7 || code === 9) return code + 20;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  return (code >= 40 && code <= 48) || (code >= 100 && code <= 107) ? 49 : undefined;
}

function sequence(parameters: number | string): string {
  return `\x1b[${parameters}m`;
}
