/** Pictures as one sequence: kitty's graphics protocol and iTerm2's inline images. Both scale to cells themselves. */

import type { CellBox } from "./fit.ts";

/** Kitty takes at most this much base64 in one sequence. */
const chunkCharacters = 4_096;

/** Drawn at the cursor, which stays where it is; no answer is asked for. */
export function kittyImage(
  png: Uint8Array,
  { columns, rows }: CellBox,
  { id }: { id?: number } = {},
): string {
  const data = Buffer.from(png).toString("base64");
  const parts: string[] = [];
  const named = id === undefined ? "" : `,i=${id}`;
  for (let at = 0; at < data.length || at === 0; at += chunkCharacters) {
    const isMore = at + chunkCharacters < data.length ? 1 : 0;
    const keys = at === 0 ? `a=T,f=100,q=2,C=1,c=${columns},r=${rows}${named},m=${isMore}` : `m=${isMore}`;
    parts.push(`\x1b_G${keys};${data.slice(at, at + chunkCharacters)}\x1b\\`);
  }
  return parts.join("");
}

/** Takes the picture off the screen again and frees it. */
export function kittyDelete(id: number): string {
  return `\x1b_Ga=d,d=I,i=${id},q=2\x1b\\`;
}

export function itermImage(bytes: Uint8Array, { columns, rows }: CellBox): string {
  const keys = `inline=1;size=${bytes.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${keys}:${Buffer.from(bytes).toString("base64")}\x07`;
}

/**
 * A sequence that draws `rows` rows, as so many lines of a transcript: the last of them goes up, draws, and comes back. So there is room
 * for the picture before it is drawn, also at the bottom of the screen.
 */
export function drawnOverLines(sequence: string, rows: number): string[] {
  const up = rows > 1 ? `\x1b[${rows - 1}A` : "";
  return [...Array.from({ length: rows - 1 }, () => ""), `\x1b7${up}\r${sequence}\x1b8`];
}
