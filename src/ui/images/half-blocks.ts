/**
 * Pixels as text: `▀` has two pixels in a cell, the upper one its own colour, the lower one its background. In the colours that there
 * are; without colours, or without `▀`, as symbols from light to dark.
 */

import { OPAQUE_FROM, type Pixels } from "./decode.ts";

export type BlockColors = "true" | "256" | "16" | "none";

type Rgb = readonly [number, number, number];

const RAMP = " .:-=+*#%@";

/** Two rows of pixels a line. */
export function halfBlocks(pixels: Pixels, colors: BlockColors): string[] {
  return Array.from({ length: Math.ceil(pixels.height / 2) }, (_, line) => {
    let text = "";
    let style = "";
    for (let column = 0; column < pixels.width; column++) {
      const cell = cellOf(colorAt(pixels, column, line * 2), colorAt(pixels, column, line * 2 + 1), colors);
      // A colour is written only where it changes.
      if (cell.style !== style)
        text += cell.style === "" ? "\x1b[0m" : `${style === "" ? "" : "\x1b[0m"}${cell.style}`;
      text += cell.symbol;
      ({ style } = cell);
    }
    return style === "" ? text : `${text}\x1b[0m`;
  });
}

function cellOf(
  upper: Rgb | undefined,
  lower: Rgb | undefined,
  colors: BlockColors,
): { symbol: string; style: string } {
  if (upper === undefined && lower === undefined) return { symbol: " ", style: "" };
  if (upper === undefined) return { symbol: "▄", style: code(lower ?? [0, 0, 0], colors, "ink") };
  if (lower === undefined) return { symbol: "▀", style: code(upper, colors, "ink") };
  return { symbol: "▀", style: code(upper, colors, "ink") + code(lower, colors, "paper") };
}

/** One symbol a cell, by the brightness of its two pixels. */
export function asciiArt(pixels: Pixels): string[] {
  return Array.from({ length: Math.ceil(pixels.height / 2) }, (_, line) =>
    Array.from({ length: pixels.width }, (_, column) => {
      const light = (brightness(pixels, column, line * 2) + brightness(pixels, column, line * 2 + 1)) / 2;
      return RAMP[Math.min(RAMP.length - 1, Math.floor(light * RAMP.length))] ?? " ";
    })
      .join("")
      .trimEnd(),
  );
}

function brightness(pixels: Pixels, column: number, row: number): number {
  const color = colorAt(pixels, column, row);
  return color === undefined ? 0 : (0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]) / 255;
}

function colorAt({ rgba, width, height }: Pixels, column: number, row: number): Rgb | undefined {
  const at = (row * width + column) * 4;
  if (row >= height || (rgba[at + 3] ?? 0) < OPAQUE_FROM) return undefined;
  return [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0];
}

function code(color: Rgb, colors: BlockColors, use: "ink" | "paper"): string {
  if (colors === "true" || colors === "256") {
    const ink = Bun.color([...color], colors === "true" ? "ansi-16m" : "ansi-256") ?? "";
    return use === "ink" ? ink : ink.replace("[38", "[48");
  }
  const index = of16(color);
  const first = use === "ink" ? (index < 8 ? 30 : 90) : index < 8 ? 40 : 100;
  return `\x1b[${first + (index % 8)}m`;
}

/**
 * As most terminals draw them, with brown for dark yellow; a palette of one's own shifts a picture, but does not spoil it. The colours of
 * `Bun.color` for 16 are farther away.
 */
const sixteen = Array.from({ length: 16 }, (_, index) =>
  index === 3 ? [170, 85, 0] : [1, 2, 4].map((bit) => (index & bit ? 170 : 0) + (index < 8 ? 0 : 85)),
);

export function of16(color: Rgb): number {
  let best = 0;
  sixteen.forEach((one, at) => {
    if (distance(color, one) < distance(color, sixteen[best] ?? [])) best = at;
  });
  return best;
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0);
}
