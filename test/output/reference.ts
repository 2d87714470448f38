/**
 * What the sink must give, written the slow and simple way: all of the text at once, one cell a column, no bounds. Made from the
 * description in docs/output.md and sharing no code with the sink.
 */

import type { TruncationPolicy } from "../../src/output/truncation.ts";

const esc = "\\u001b";
const sequence = new RegExp(
  [
    `${esc}\\[(?<parameters>[ -?]*)(?<final>[@-~])`,
    `${esc}[\\]PX^_][^\\u0007\\u0018\\u001a\\u001b\\n]*(?:\\u0007|\\u0018|\\u001a|${esc}\\\\|(?=${esc}|\\n|$))`,
    `${esc}\\[[ -?]*`,
    `${esc}[ -/]*[0-~]?`,
    "(?<control>[\\r\\u0008])",
    "[\\u0000-\\u0007\\u000b-\\u001f\\u007f-\\u009f]",
    "(?<character>[^])",
  ].join("|"),
  "gu",
);

export function shownByTerminal(text: string): string {
  return text.replaceAll("\r\n", "\n").split("\n").map(shownLine).join("\n");
}

/** A string sequence ends with its line, so that lines can be looked at one by one. */
function shownLine(line: string): string {
  const cells: string[] = [];
  let column = 0;
  let rewritten = false;
  for (const { groups = {} } of line.matchAll(sequence)) {
    const { parameters, final, control, character } = groups;
    if (control === "\r") column = 0;
    else if (control === "\b") column = Math.max(0, column - 1);
    else if (final !== undefined && /^\d*$/.test(parameters ?? "")) {
      const number = Number(parameters);
      const edge = Math.max(cells.length, 512, column);
      if (final === "C") column = Math.min(edge, column + Math.max(1, number));
      if (final === "D") column = Math.max(0, column - Math.max(1, number));
      if (final === "G") column = Math.min(edge, Math.max(1, number) - 1);
      const erase = final === "K" ? number : final === "J" && number === 0 ? 0 : undefined;
      if (erase === 0 && column < cells.length) {
        rewritten = true;
        blank(cells, column, cells.length);
        cells.length = column;
      } else if (erase === 1) {
        rewritten = true;
        blank(cells, 0, Math.min(column + 1, cells.length));
      } else if (erase === 2) {
        rewritten = true;
        cells.length = 0;
      }
    } else if (character !== undefined) {
      if (column !== cells.length) rewritten = true;
      column = put(cells, column, character);
    }
  }
  const shown = cells.join("");
  return rewritten ? shown.replace(/ +$/, "") : shown;
}

function put(cells: string[], column: number, character: string): number {
  const width = Bun.stringWidth(character);
  if (character === "\t") {
    const next = (Math.floor(column / 8) + 1) * 8;
    if (column === cells.length) cells.push("\t", ...Array<string>(next - column - 1).fill(""));
    return next;
  }
  if (width === 0) {
    if (cells.length === 0 && column === 0) return cells.push(character);
    let at = Math.min(column, cells.length) - 1;
    while (at > 0 && cells[at] === "") at--;
    if (at >= 0) cells[at] += character;
    return column;
  }
  while (cells.length < column) cells.push(" ");
  blank(cells, column, Math.min(column + width, cells.length));
  cells[column] = character;
  if (width === 2) cells[column + 1] = "";
  return column + width;
}

/** Blanks the columns, and all of every character that has a part in them. */
function blank(cells: string[], from: number, to: number): void {
  if (from >= to) return;
  let start = from;
  while (start > 0 && cells[start] === "") start--;
  let end = to;
  while (cells[end] === "") end++;
  cells.fill(" ", start, end);
}

export function cutText(text: string, policy: TruncationPolicy): string {
  if (policy.keep === "middle") throw new Error("the middle has tests of its own");
  if (policy.keep === "head") {
    const head = text.slice(0, policy.maxChars);
    return head.isWellFormed() ? head : head.slice(0, -1);
  }
  const lines = text.split(/(?<=\n)/);
  let kept = lines.slice(-policy.maxLines);
  while (kept.length > 1 && kept.join("").length > policy.maxChars) kept = kept.slice(1);
  const tail = kept.join("").slice(-policy.maxChars);
  return tail.isWellFormed() ? tail : tail.slice(1);
}

/** Numbers that look like chance and are the same in every run. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const tokens = [
  ..."abcdefghij klm nop qrst 0123456789 .,;:!?-+",
  ..."äöüß ÅøΩλжЯ ─│█▏░⠋⠙ 日本語中文 한글",
  "\n",
  "\n",
  "\n",
  "\r\n",
  "\r\n",
  "\r",
  "\r",
  "\r",
  "\b",
  "\b",
  "\t",
  "\t",
  "e\u0301",
  "a\u0308\u0323",
  "\u0301",
  "\u200d",
  "🚀",
  "✅",
  "👩\u200d🔬",
  "🇩🇪",
  "👍🏽",
  "❤\ufe0f",
  "𝒳",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[m",
  "\x1b[1;38;5;208m",
  "\x1b[38:2::1:2:3m",
  "\x1b[>4;2m",
  "\x1b[K",
  "\x1b[0K",
  "\x1b[1K",
  "\x1b[2K",
  "\x1b[3K",
  "\x1b[J",
  "\x1b[2J",
  "\x1b[?25l",
  "\x1b[?1049h",
  "\x1b[C",
  "\x1b[3C",
  "\x1b[2D",
  "\x1b[5G",
  "\x1b[99G",
  "\x1b[9999C",
  "\x1b[A",
  "\x1b[10;5H",
  "\x1b[6n",
  "\x1b]0;a title\x07",
  "\x1b]0;a title\x1b\\",
  "\x1b]8;;https://example.org\x1b\\",
  "\x1bPq#0;2;0~-\x1b\\",
  "\x1b_Ga=T;AAAA\x1b\\",
  "\x1b(B",
  "\x1b7",
  "\x1b8",
  "\x1bc",
  "\x1b=",
  "\x1b",
  "\x1b[",
  "\x1b[31",
  "\x1b]0;never ended",
  "\x1bP",
  "\x1b\x1b[1m",
  "\x07",
  "\x01",
  "\x0b",
  "\x0c",
  "\x18",
  "\x1a",
  "\x7f",
  "\u0085",
  "\u009b31m",
  "\u009d0;x",
];

export function randomText(random: (below: number) => number, length: number): string {
  let text = "";
  for (let count = 0; count < length; count++) text += tokens[random(tokens.length)] ?? "";
  return text;
}

/** The same bytes in pieces of 1 to `largest` bytes, each a copy: the writer reuses its buffer. */
export function* randomChunks(bytes: Uint8Array, random: (below: number) => number, largest: number) {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + random(largest));
    yield bytes.slice(at, end);
    at = end;
  }
}
