/**
 * Pixels as sixel: bands of six rows, in each band one pass a colour, each column of six pixels one character. What is transparent is
 * left as it is on the screen.
 */

import { type IndexedPixels, OPAQUE_FROM } from "./decode.ts";

const BAND_ROWS = 6;

export function sixelOf(pixels: IndexedPixels): string {
  const { width, height } = pixels;
  // 0;1: square pixels, and what is not drawn stays. The raster attributes give the size at once.
  const parts = [`\x1bP0;1;0q"1;1;${width};${height}`, ...palettePart(pixels.palette)];
  for (let top = 0; top < height; top += BAND_ROWS) {
    if (top > 0) parts.push("-");
    parts.push(band(pixels, top, Math.min(BAND_ROWS, height - top)));
  }
  parts.push("\x1b\\");
  return parts.join("");
}

/** Channels count to 100. */
function palettePart(palette: Uint8Array): string[] {
  const parts: string[] = [];
  for (let at = 0; at < palette.length; at += 3) {
    const percents = [...palette.subarray(at, at + 3)].map((value) => Math.round((value * 100) / 255));
    parts.push(`#${at / 3};2;${percents.join(";")}`);
  }
  return parts;
}

function band({ indexes, alphas, width }: IndexedPixels, top: number, rows: number): string {
  const columnsOf = new Map<number, Uint8Array>();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const color = indexes[(top + row) * width + column] ?? 0;
      if ((alphas[color] ?? 255) < OPAQUE_FROM) continue;
      let columns = columnsOf.get(color);
      if (columns === undefined) {
        columns = new Uint8Array(width);
        columnsOf.set(color, columns);
      }
      columns[column] = (columns[column] ?? 0) | (1 << row);
    }
  }
  return [...columnsOf].map(([color, columns]) => `#${color}${runs(columns)}`).join("$");
}

/** `!12~` for twelve equal columns; empty columns at the end are left out. */
function runs(columns: Uint8Array): string {
  let end = columns.length;
  while (end > 0 && columns[end - 1] === 0) end--;
  let text = "";
  for (let at = 0; at < end; ) {
    let next = at + 1;
    while (next < end && columns[next] === columns[at]) next++;
    const symbol = String.fromCharCode(63 + (columns[at] ?? 0));
    text += next - at > 3 ? `!${next - at}${symbol}` : symbol.repeat(next - at);
    at = next;
  }
  return text;
}
