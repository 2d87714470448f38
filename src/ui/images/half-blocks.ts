/**
 * Pixels as text: `▀` has two pixels in a cell, the upper one its own colour, the lower one its background. In the colours that there
 * are; without colours, or without `▀`, as symbols from light to dark.
 */

import type { Pixels } from "./png.ts";

export type BlockColors = "true" | "256" | "16" | "none";

type Rgb = readonly [number, number, number];

const OPAQUE_FROM = 128;
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
  const base = use === "ink" ? 38 : 48;
  if (colors === "true") return `\x1b[${base};2;${color.join(";")}m`;
  if (colors === "256") return `\x1b[${base};5;${of256(color)}m`;
  const index = of16(color);
  const first = use === "ink" ? (index < 8 ? 30 : 90) : index < 8 ? 40 : 100;
  return `\x1b[${first + (index % 8)}m`;
}

const cubeSteps = [0, 95, 135, 175, 215, 255];

/** The nearer of the colour cube and the row of greys. */
export function of256(color: Rgb): number {
  const nearest = (value: number): number =>
    cubeSteps.reduce(
      (best, step, at) => (Math.abs(step - value) < Math.abs((cubeSteps[best] ?? 0) - value) ? at : best),
      0,
    );
  const cube = color.map(nearest);
  const cubeColor = cube.map((at) => cubeSteps[at] ?? 0);
  const grey = Math.max(0, Math.min(23, Math.round((color[0] + color[1] + color[2]) / 3 / 10 - 0.8)));
  const level = 8 + grey * 10;
  if (distance(color, [level, level, level]) < distance(color, cubeColor)) return 232 + grey;
  return 16 + 36 * (cube[0] ?? 0) + 6 * (cube[1] ?? 0) + (cube[2] ?? 0);
}

/** As most terminals draw them; a palette of one's own shifts a picture, but does not spoil it. */
const sixteen: readonly Rgb[] = [
  [0, 0, 0],
  [170, 0, 0],
  [0, 170, 0],
  [170, 85, 0],
  [0, 0, 170],
  [170, 0, 170],
  [0, 170, 170],
  [170, 170, 170],
  [85, 85, 85],
  [255, 85, 85],
  [85, 255, 85],
  [255, 255, 85],
  [85, 85, 255],
  [255, 85, 255],
  [85, 255, 255],
  [255, 255, 255],
];

export function of16(color: Rgb): number {
  let best = 0;
  sixteen.forEach((one, at) => {
    if (distance(color, one) < distance(color, sixteen[best] ?? [0, 0, 0])) best = at;
  });
  return best;
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0);
}
