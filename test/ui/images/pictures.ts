/** Pictures made in memory, and a reader of sixel: the other end of what is tested. */

import { crc32, deflateSync } from "node:zlib";
import type { Pixels } from "../../../src/ui/images/decode.ts";

export type Rgba = readonly [number, number, number, number];

export function pixelsFrom(width: number, height: number, at: (x: number, y: number) => Rgba): Pixels {
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rgba.set(at(x, y), (y * width + x) * 4);
  return { width, height, rgba };
}

function chunk(name: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const out = Buffer.alloc(8 + named.length);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), 4 + named.length);
  return out;
}

export interface PngForm {
  /** 0 to 4, the same for every row. */
  readonly filter?: number;
  readonly type?: number;
  readonly channels?: number;
  readonly extra?: readonly Buffer[];
}

/** Raw rows (already in the colour type's channels) as a PNG, every row through the filter. */
export function pngOf(raw: Uint8Array, width: number, height: number, form: PngForm = {}): Buffer {
  const { filter = 0, type = 6, channels = 4, extra = [] } = form;
  const stride = width * channels;
  const filtered = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row++) {
    filtered[row * (stride + 1)] = filter;
    for (let at = 0; at < stride; at++) {
      const left = at >= channels ? (raw[row * stride + at - channels] ?? 0) : 0;
      const above = row > 0 ? (raw[(row - 1) * stride + at] ?? 0) : 0;
      const corner = row > 0 && at >= channels ? (raw[(row - 1) * stride + at - channels] ?? 0) : 0;
      const guess = left + above - corner;
      const nearest = [left, above, corner].reduce((best, one) =>
        Math.abs(guess - one) < Math.abs(guess - best) ? one : best,
      );
      const predicted = [0, left, above, (left + above) >> 1, nearest][filter] ?? 0;
      filtered[row * (stride + 1) + 1 + at] = (raw[row * stride + at] ?? 0) - predicted;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, type, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...extra,
    chunk("IDAT", deflateSync(filtered)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(name: string, body: readonly number[]): Buffer {
  return chunk(name, Uint8Array.from(body));
}

/** Colours in percent, as sixel has them; undefined where nothing is drawn. */
export function readSixel(sequence: string): {
  width: number;
  height: number;
  colors: (string | undefined)[][];
} {
  const [, width = "", height = "", body = ""] =
    /^.P0;1;0q"1;1;(\d+);(\d+)([\s\S]*).\\$/u.exec(sequence) ?? [];
  const palette = new Map<string, string>();
  const colors: (string | undefined)[][] = Array.from({ length: Number(height) }, () => []);
  let [x, y, color] = [0, 0, ""];
  for (const [token] of body.matchAll(/#\d+(?:;2;\d+;\d+;\d+)?|!\d+.|[$\-?-~]/g)) {
    if (token.startsWith("#")) {
      const [index = "", , ...channels] = token.slice(1).split(";");
      if (channels.length > 0) palette.set(index, channels.join(","));
      else color = palette.get(index) ?? "";
    } else if (token === "$") x = 0;
    else if (token === "-") [x, y] = [0, y + 6];
    else {
      const count = token.startsWith("!") ? Number.parseInt(token.slice(1), 10) : 1;
      const bits = token.charCodeAt(token.length - 1) - 63;
      for (let column = x; column < x + count; column++) {
        for (let row = 0; row < 6; row++) {
          const line = colors[y + row];
          if ((bits >> row) & 1 && line !== undefined) line[column] = color;
        }
      }
      x += count;
    }
  }
  return { width: Number(width), height: Number(height), colors };
}
