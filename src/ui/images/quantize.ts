/** Few colours for many: median cut over a histogram of 32,768 shades. Deterministic. */

import type { Pixels } from "./png.ts";

export interface Quantized {
  /** Three bytes a colour. */
  readonly palette: Uint8Array;
  /** One a pixel; `TRANSPARENT` for what is not drawn. */
  readonly indexes: Uint16Array;
}

export const TRANSPARENT = 0xffff;
const OPAQUE_FROM = 128;
const SHADES = 32_768;

export function quantize({ rgba, width, height }: Pixels, maxColors: number): Quantized {
  const counts = new Uint32Array(SHADES);
  for (let at = 0; at < width * height * 4; at += 4) {
    if ((rgba[at + 3] ?? 0) >= OPAQUE_FROM) counts[shadeAt(rgba, at)] = (counts[shadeAt(rgba, at)] ?? 0) + 1;
  }
  const used: number[] = [];
  for (let shade = 0; shade < SHADES; shade++) if ((counts[shade] ?? 0) > 0) used.push(shade);
  const boxes = cutIntoBoxes(used, counts, maxColors);
  const palette = new Uint8Array(boxes.length * 3);
  const indexOf = new Uint16Array(SHADES);
  boxes.forEach((box, index) => {
    palette.set(meanOf(box, counts), index * 3);
    for (const shade of box) indexOf[shade] = index;
  });
  const indexes = new Uint16Array(width * height);
  for (let pixel = 0; pixel < indexes.length; pixel++) {
    const isDrawn = (rgba[pixel * 4 + 3] ?? 0) >= OPAQUE_FROM;
    indexes[pixel] = isDrawn ? (indexOf[shadeAt(rgba, pixel * 4)] ?? 0) : TRANSPARENT;
  }
  return { palette, indexes };
}

/** Five bits a channel. */
function shadeAt(rgba: Uint8Array, at: number): number {
  return (((rgba[at] ?? 0) >> 3) << 10) | (((rgba[at + 1] ?? 0) >> 3) << 5) | ((rgba[at + 2] ?? 0) >> 3);
}

const shifts = [10, 5, 0] as const;

function channel(shade: number, shift: number): number {
  return (shade >> shift) & 31;
}

/** Always the box with the longest side is cut, at the middle of its pixels, until there are enough. */
function cutIntoBoxes(used: number[], counts: Uint32Array, maxColors: number): number[][] {
  const boxes = used.length === 0 ? [] : [used];
  const sides = boxes.map(longestSide);
  while (boxes.length < maxColors) {
    let widest = 0;
    for (let at = 1; at < sides.length; at++)
      if ((sides[at]?.length ?? 0) > (sides[widest]?.length ?? 0)) widest = at;
    const box = boxes[widest];
    const side = sides[widest];
    if (box === undefined || side === undefined || side.length === 0) break;
    const [low, high] = cut(box, side.shift, counts);
    boxes.splice(widest, 1, low, high);
    sides.splice(widest, 1, longestSide(low), longestSide(high));
  }
  return boxes;
}

function longestSide(box: readonly number[]): { shift: number; length: number } {
  let best: { shift: number; length: number } = { shift: 0, length: -1 };
  for (const shift of shifts) {
    let [low, high] = [31, 0];
    for (const shade of box) {
      low = Math.min(low, channel(shade, shift));
      high = Math.max(high, channel(shade, shift));
    }
    if (high - low > best.length) best = { shift, length: high - low };
  }
  return best;
}

function cut(box: number[], shift: number, counts: Uint32Array): [number[], number[]] {
  const sorted = [...box].sort((a, b) => channel(a, shift) - channel(b, shift));
  const total = sorted.reduce((sum, shade) => sum + (counts[shade] ?? 0), 0);
  let seen = 0;
  let at = 0;
  while (at < sorted.length - 1 && seen < total / 2) seen += counts[sorted[at++] ?? 0] ?? 0;
  return [sorted.slice(0, Math.max(1, at)), sorted.slice(Math.max(1, at))];
}

function meanOf(box: readonly number[], counts: Uint32Array): [number, number, number] {
  let total = 0;
  const sums: [number, number, number] = [0, 0, 0];
  for (const shade of box) {
    const count = counts[shade] ?? 0;
    total += count;
    shifts.forEach((shift, at) => {
      sums[at] = (sums[at] ?? 0) + channel(shade, shift) * count;
    });
  }
  // 31 means 255.
  const mean = (sum: number): number => Math.round(((sum / total) * 255) / 31);
  return [mean(sums[0]), mean(sums[1]), mean(sums[2])];
}
