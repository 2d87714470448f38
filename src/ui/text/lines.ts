/** Text to lines that fit the screen. */

import { standaloneLines } from "./standalone.ts";

const CONTROLS = /(?!\n)\p{Cc}/gu;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** After the styles that a line starts with. */
const BREAKING_SPACE = /^((?:\p{Cc}\[[\d;]*m)*) /u;
const TAB = "    ";
/** Longer lines are cut: no one reads them, and one costs as much as a thousand short ones. */
export const MAX_LINE_CHARS = 4_000;

/** What a program printed, as text: no escape sequence, no control character, `\r` as a terminal would show it. */
export function plainText(text: string): string {
  const plain = Bun.stripANSI(text).replace(/\r+\n/g, "\n").replaceAll("\t", TAB);
  const overwritten = plain.includes("\r") ? plain.split("\n").map(lastWritten).join("\n") : plain;
  const visible = overwritten.replace(CONTROLS, "");
  return PLACEHOLDER_START.test(visible) ? visible.replace(PLACEHOLDERS, "") : visible;
}

/** Private characters that represent lines and pictures on their way to the terminal; no other text may contain them. */
const PLACEHOLDERS = /[\u{108000}-\u{10f3ff}]/gu;
/** What they start with in UTF-16. */
const PLACEHOLDER_START = /[\udbe0-\udbfc]/;

/** What a terminal would show of a line that a progress bar has overwritten: the last thing written. */
export function lastWritten(line: string): string {
  const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
  return trimmed.slice(trimmed.lastIndexOf("\r") + 1);
}

/** Text that omp wrote, in the symbols that this terminal has. */
export function adaptSymbols(text: string, { more }: { readonly more: string }): string {
  return more === "…" ? text : text.replaceAll("…", more).replaceAll("×", "x").replaceAll(" · ", " - ");
}

export function widthOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : Bun.stringWidth(text);
}

/** One line, cut at the width and marked as cut. */
export function clip(line: string, width: number, more = "…"): string {
  if (width <= 0) return "";
  // A line of megabytes is not measured for the eighty columns that are shown.
  const start = line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line;
  if (start.length === line.length && widthOf(line) <= width) return line;
  const mark = more.slice(0, width);
  return firstColumns(start, width - widthOf(mark)) + mark;
}

/** A wide character at the edge would be included whole: it is left out instead. */
function firstColumns(line: string, width: number): string {
  if (width <= 0) return "";
  const slice = Bun.sliceAnsi(line, 0, width);
  return widthOf(slice) > width ? Bun.sliceAnsi(line, 0, width - 1) : slice;
}

/** One line, broken at the width; each part starts and ends its own styles. */
export function brokenLines(
  line: string,
  width: number,
  options: { trim?: boolean; wordWrap?: boolean },
): string[] {
  const lines = Bun.wrapAnsi(line, width, { hard: true, ...options }).split("\n");
  return line.includes("\x1b[") ? standaloneLines(lines) : lines;
}

/** Lines broken at the width, at spaces if possible. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const shown = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}...` : line;
    if (widthOf(shown) <= width) return [shown];
    const [first = "", ...rest] = brokenLines(shown, Math.max(1, width), { trim: false });
    // The space at which a line was broken does not start the next one.
    return [first, ...rest.map((row) => row.replace(BREAKING_SPACE, "$1"))];
  });
}

export function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === "" ? line : by + line));
}

export function trimmedLines(text: string): string[] {
  const trimmed = text.replace(/^\n+|\s+$/g, "");
  return trimmed === "" ? [] : trimmed.split("\n");
}
