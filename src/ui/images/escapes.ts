/** Pictures as one sequence: kitty's graphics protocol and iTerm2's inline images. Both scale to cells themselves. */

import type { CellBox } from "./fit.ts";

/** Kitty takes at most this much base64 in one sequence. */
const CHUNK_CHARACTERS = 4_096;

/** Drawn at the cursor, which stays where it is; no answer is asked for. */
export function kittyImage(png: Uint8Array, { columns, rows }: CellBox, id?: number): string {
  const named = id === undefined ? "" : `,i=${id}`;
  return kittyChunks(png, `a=T,f=100,q=2,C=1,c=${columns},r=${rows}${named}`);
}

/** Sends a picture that draws nothing yet: the cells of `kittyCells` with the same id show it. */
export function kittyUpload(png: Uint8Array, { columns, rows }: CellBox, id: number): string {
  return kittyChunks(png, `a=T,U=1,f=100,q=2,c=${columns},r=${rows},i=${id}`);
}

function kittyChunks(png: Uint8Array, first: string): string {
  const data = Buffer.from(png).toString("base64");
  const parts: string[] = [];
  for (let at = 0; at < data.length || at === 0; at += CHUNK_CHARACTERS) {
    const isMore = at + CHUNK_CHARACTERS < data.length ? 1 : 0;
    const keys = at === 0 ? `${first},m=${isMore}` : `m=${isMore}`;
    parts.push(`\x1b_G${keys};${data.slice(at, at + CHUNK_CHARACTERS)}\x1b\\`);
  }
  return parts.join("");
}

/** The marks that count rows and columns in kitty's protocol, in its order, as ranges of code points. */
const countingMarks = [
  [0x305, 0x305],
  [0x30d, 0x30e],
  [0x310, 0x310],
  [0x312, 0x312],
  [0x33d, 0x33f],
  [0x346, 0x346],
  [0x34a, 0x34c],
  [0x350, 0x352],
  [0x357, 0x357],
  [0x35b, 0x35b],
  [0x363, 0x36f],
  [0x483, 0x487],
  [0x592, 0x595],
  [0x597, 0x599],
] as const;

const numbers: readonly string[] = countingMarks.flatMap(([from, to]) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
);

/** As many rows as can be counted here. */
export const maxKittyRows = numbers.length;
const pictureCell = String.fromCodePoint(0x10eeee);

/**
 * Lines of cells that show an uploaded picture. They are text to everyone else: they scroll, wrap into a layout and go through tmux like
 * any other. The colour is the picture's id; the first cell of a line says which row it is, the others follow it.
 */
export function kittyCells({ columns, rows }: CellBox, id: number): string[] {
  const color = `\x1b[38;2;${(id >> 16) & 255};${(id >> 8) & 255};${id & 255}m`;
  return numbers
    .slice(0, rows)
    .map((row) => `${color}${pictureCell}${row}${numbers[0]}${pictureCell.repeat(columns - 1)}\x1b[39m`);
}

/** Takes the picture off the screen again and frees it. */
export function kittyDelete(id: number): string {
  return `\x1b_Ga=d,d=I,i=${id},q=2\x1b\\`;
}

export function itermImage(bytes: Uint8Array, { columns, rows }: CellBox): string {
  const keys = `inline=1;size=${bytes.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${keys}:${Buffer.from(bytes).toString("base64")}\x07`;
}
