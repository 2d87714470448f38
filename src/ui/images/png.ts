/** The pixels of a PNG as Bun.Image writes it: red, green, blue and alpha of eight bits each, not interlaced. */

import { inflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly rgba: Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHANNELS = 4;
/** In the header's bytes for depth, colour type and interlacing. */
const [DEPTH, RGBA, NOT_INTERLACED] = [8, 6, 0];

/** Undefined for anything else. */
export function pixelsOfPng(bytes: Uint8Array): Pixels | undefined {
  if (signature.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      const [depth, type, , , interlace] = body.subarray(8);
      if (depth !== DEPTH || type !== RGBA || interlace !== NOT_INTERLACED) return undefined;
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    } else if (name === "IDAT") data.push(body);
    else if (name === "IEND") break;
    at += 12 + length;
  }
  if (size === undefined) return undefined;
  const raw = inflateSync(Buffer.concat(data));
  const stride = size.width * CHANNELS;
  if (raw.length < (stride + 1) * size.height) return undefined;
  return { ...size, rgba: unfiltered(raw, stride, size.height) };
}

/** Every row says how it was predicted: from the left, from above, from their mean, or from the nearest of three. */
function unfiltered(raw: Uint8Array, stride: number, height: number): Uint8Array {
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
      const left = at >= CHANNELS ? (plain[to + at - CHANNELS] ?? 0) : 0;
      const above = row > 0 ? (plain[to - stride + at] ?? 0) : 0;
      const corner = row > 0 && at >= CHANNELS ? (plain[to - stride + at - CHANNELS] ?? 0) : 0;
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
