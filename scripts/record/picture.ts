/** A screen as an SVG: text with its colours, and block characters as shapes, so that plots have no gaps whatever the font. */

/** A number of the terminal's palette, a colour by itself, or one of the two that a terminal has anyway. */
export type Colour = number | `#${string}` | "foreground" | "background";

export interface Cell {
  readonly text: string;
  /** 2 for wide characters, 0 for the cell behind one. */
  readonly width: number;
  readonly sign: Colour | undefined;
  readonly behind: Colour | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

export interface Picture {
  readonly columns: number;
  readonly rows: number;
  readonly cells: readonly (readonly Cell[])[];
  readonly cursor: { readonly x: number; readonly y: number };
}

export interface Frame {
  readonly picture: Picture;
  /** How long it stays. */
  readonly ms: number;
}

const CELL = { width: 8.4, height: 17 };
const MARGIN = 14;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FOREGROUND = "#d6d9df";
const BACKGROUND = "#15181e";
const PALETTE = [
  ..."1d2129 e0676e 8fbf6c d9b56a 6ba3e0 b98ad6 5fb8b4 c9ccd3".split(" "),
  ..."68707f f08a90 a9d68a ecd08c 8fbdf0 d0a8ea 82d3cf ffffff".split(" "),
].map((hex) => `#${hex}`);

/** One frame is a still picture; several follow each other without end. */
export function drawSvg(frames: readonly Frame[], title: string): string {
  const [first] = frames;
  if (first === undefined) throw new Error("nothing was recorded");
  const width = round(first.picture.columns * CELL.width + 2 * MARGIN);
  const height = round(first.picture.rows * CELL.height + 2 * MARGIN);
  const screens = frames.map(({ picture }, index) => `<g class="f f${index}">${drawScreen(picture)}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>rect{shape-rendering:crispEdges}text{font:13.5px ${FONT};white-space:pre;fill:${FOREGROUND}}.b{font-weight:600}.d{opacity:.6}.i{font-style:italic}.u{text-decoration:underline}${animation(frames)}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...screens,
    "</g></svg>\n",
  ].join("\n");
}

function animation(frames: readonly Frame[]): string {
  if (frames.length === 1) return "";
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let at = 0;
  const rules = frames.map(({ ms }, index) => {
    const from = round((100 * at) / total);
    at += ms;
    const to = round((100 * at) / total);
    const before = from === 0 ? "" : `0%{visibility:hidden}`;
    const after = to >= 100 ? "" : `${to}%{visibility:hidden}`;
    return `@keyframes k${index}{${before}${from}%{visibility:visible}${after}}.f${index}{animation:k${index} ${total}ms step-end infinite}`;
  });
  // Where nothing moves, the last frame is shown.
  return `.f:not(.f${frames.length - 1}){visibility:hidden}${rules.join("")}`;
}

function drawScreen({ cells, cursor }: Picture): string {
  return cells.map((row, y) => drawRow(row, y)).join("") + drawCursor(cursor);
}

function drawCursor({ x, y }: Picture["cursor"]): string {
  return box(
    { x: x * CELL.width, y: y * CELL.height, width: CELL.width, height: CELL.height },
    `${FOREGROUND}66`,
  );
}

/** Runs of cells that look the same are one element. */
function drawRow(row: readonly Cell[], y: number): string {
  const behind: string[] = [];
  const signs: string[] = [];
  for (let x = 0; x < row.length; ) {
    const cell = row[x];
    if (cell === undefined) break;
    let end = x + 1;
    while (end < row.length && row[end] !== undefined && looksLike(cell, row[end])) end += 1;
    const run = row.slice(x, end);
    const place = {
      x: x * CELL.width,
      y: y * CELL.height,
      width: (end - x) * CELL.width,
      height: CELL.height,
    };
    if (cell.behind !== undefined) behind.push(box(place, hexOf(cell.behind)));
    signs.push(drawRun(run, place));
    x = end;
  }
  return behind.join("") + signs.join("");
}

function looksLike(one: Cell, other: Cell | undefined): boolean {
  if (other === undefined) return false;
  if (other.width === 0) return true;
  const names = ["sign", "behind", "isBold", "isDim", "isItalic", "isUnderlined"] as const;
  return names.every((name) => one[name] === other[name]) && shapeOf(one) === shapeOf(other);
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawRun(run: readonly Cell[], place: Place): string {
  const [first] = run;
  const text = run.map((cell) => (cell.width === 0 ? "" : cell.text || " ")).join("");
  if (first === undefined || text.trim() === "") return "";
  const colour = hexOf(first.sign ?? "foreground");
  const shape = shapeOf(first);
  if (shape !== undefined) return box(part(place, shape), colour);
  const marks = { b: first.isBold, d: first.isDim, i: first.isItalic, u: first.isUnderlined };
  const classes = Object.entries(marks).flatMap(([name, isSet]) => (isSet ? [name] : []));
  const attributes = [
    `x="${round(place.x)}" y="${round(place.y + 12.5)}" textLength="${round(place.width)}" lengthAdjust="spacingAndGlyphs"`,
    ...(first.sign === undefined ? [] : [`style="fill:${colour}"`]),
    ...(classes.length === 0 ? [] : [`class="${classes.join(" ")}"`]),
  ];
  return `<text ${attributes.join(" ")}>${escapeXml(text)}</text>`;
}

/** Which part of its cell a block character fills: from and to, of its height. */
function shapeOf({ text }: Cell): "upper" | "lower" | "full" | undefined {
  return text === "▀" ? "upper" : text === "▄" ? "lower" : text === "█" ? "full" : undefined;
}

function part(place: Place, shape: "upper" | "lower" | "full"): Place {
  if (shape === "full") return place;
  const height = place.height / 2;
  return { ...place, height, y: shape === "upper" ? place.y : place.y + height };
}

function box({ x, y, width, height }: Place, colour: string): string {
  // A hair wider than it is: neighbours must not show a seam.
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width + 0.2)}" height="${round(height + 0.2)}" fill="${colour}"/>`;
}

function hexOf(colour: Colour): string {
  if (colour === "foreground") return FOREGROUND;
  if (colour === "background") return BACKGROUND;
  if (typeof colour === "string") return colour;
  return PALETTE[colour] ?? hexOf256(colour);
}

/** The colour cube and the greys of a terminal with 256 colours. */
function hexOf256(index: number): string {
  const grey = 8 + 10 * (index - 232);
  const step = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const cube = [36, 6, 1].map((unit) => step(Math.floor((index - 16) / unit) % 6));
  const parts = index >= 232 ? [grey, grey, grey] : cube;
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
