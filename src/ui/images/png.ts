/** The pixels of a PNG of eight bits a channel, not interlaced: what Bun.Image writes. Nothing else is asked of it. */

import { inflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly rgba: Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes a pixel by colour type: grey, colour, palette, grey and alpha, colour and alpha. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Undefined for anything that it does not know. */
export function pixelsOfPng(bytes: Uint8Array): Pixels | undefined {
  if (signature.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  let header: { width: number; height: number; type: number } | undefined;
  let palette = new Uint8Array(0);
  let alphas = new Uint8Array(0);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      const [depth, type = 0, , , interlace] = body.subarray(8);
      if (depth !== 8 || interlace !== 0 || channelsOf[type] === undefined) return undefined;
      header = { width: view.getUint32(at + 8), height: view.getUint32(at + 12), type };
    } else if (name === "PLTE") palette = Uint8Array.from(body);
    else if (name === "tRNS") alphas = Uint8Array.from(body);
    else if (name === "IDAT") data.push(body);
    else if (name === "IEND") break;
    at += 12 + length;
  }
  if (header === undefined) return undefined;
  const channels = channelsOf[header.type] ?? 4;
  const raw = inflateSync(Buffer.concat(data));
  if (raw.length < (header.width * channels + 1) * header.height) return undefined;
  const plain = unfiltered(raw, header.width * channels, header.height, channels);
  return { width: header.width, height: header.height, rgba: asRgba(plain, header, { palette, alphas }) };
}

/** Every row says how it was predicted: from the left, from above, from their mean, or from the nearest of three. */
function unfiltered(raw: Uint8Array, stride: number, height: number, step: number): Uint8Array {
  const plain = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] ?? 0;
    const from = row * (stride + 1) + 1;
    const to = row * stride;
    if (filter === 0) {
      plain.set(raw.subarray(from, from + stride), to);
      continue;
    }
    for (let at = 0; at < stride; at++) {
      const left = at >= step ? (plain[to + at - step] ?? 0) : 0;
      const above = row > 0 ? (plain[to - stride + at] ?? 0) : 0;
      const corner = row > 0 && at >= step ? (plain[to - stride + at - step] ?? 0) : 0;
      plain[to + at] = (raw[from + at] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return plain;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - above),
    Math.abs(guess - corner),
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function asRgba(
  plain: Uint8Array,
  { width, height, type }: { width: number; height: number; type: number },
  { palette, alphas }: { palette: Uint8Array; alphas: Uint8Array },
): Uint8Array {
  if (type === 6) return plain;
  const channels = channelsOf[type] ?? 4;
  const rgba = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [first = 0, second = 0, third = 0] = plain.subarray(pixel * channels, pixel * channels + 3);
    if (type === 3) {
      rgba.set(palette.subarray(first * 3, first * 3 + 3), pixel * 4);
      rgba[pixel * 4 + 3] = alphas[first] ?? 255;
    } else if (type === 2) rgba.set([first, second, third, 255], pixel * 4);
    else rgba.set([first, first, first, type === 4 ? second : 255], pixel * 4);
  }
  return rgba;
}
