/** Pictures of any format that Bun reads, as PNG or as pixels of a wanted size. Bun gives no raw pixels, so they are taken from its PNG. */

import { inflateSync } from "node:zlib";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageFacts extends ImageSize {
  readonly format: string;
}

export interface Pixels extends ImageSize {
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly rgba: Uint8Array;
}

export interface IndexedPixels extends ImageSize {
  /** One byte a pixel: its colour in the palette. */
  readonly indexes: Uint8Array;
  /** Three bytes a colour: red, green, blue. */
  readonly palette: Uint8Array;
  /** One byte a colour, for the first ones; the others are opaque. */
  readonly alphas: Uint8Array;
}

/** Pixels with less alpha are not drawn. */
export const OPAQUE_FROM = 128;

/** A small file can claim to be a huge picture. */
const MAX_PIXELS = 64_000_000;

function imageOf(bytes: Uint8Array): Bun.Image {
  return new Bun.Image(bytes, { maxPixels: MAX_PIXELS });
}

/** These throw what Bun throws; `renderImage` turns it into a message. */
export async function imageFacts(bytes: Uint8Array): Promise<ImageFacts> {
  const { width, height, format } = await imageOf(bytes).metadata();
  return { width, height, format };
}

/** As PNG, no larger than `size`; the bytes themselves where they already are that. */
export async function asPng(bytes: Uint8Array, facts: ImageFacts, size: ImageSize): Promise<Uint8Array> {
  const fits = facts.width <= size.width && facts.height <= size.height;
  if (fits && facts.format === "png") return bytes;
  const image = imageOf(bytes);
  return await (fits ? image : image.resize(size.width, size.height, { fit: "fill" })).png().bytes();
}

/** Pixels of exactly this size. */
export async function asPixels(bytes: Uint8Array, size: ImageSize): Promise<Pixels> {
  const { rows } = await plainPng(bytes, size, { palette: false });
  return { ...size, rgba: rows };
}

/** The same in at most 256 colours. */
export async function asIndexedPixels(bytes: Uint8Array, size: ImageSize): Promise<IndexedPixels> {
  const { rows, palette, alphas } = await plainPng(bytes, size, { palette: true });
  return { ...size, indexes: rows, palette, alphas };
}

/** The parts of a PNG as Bun writes it without compression: eight bits a channel or index, rows not interlaced and not filtered. */
async function plainPng(bytes: Uint8Array, { width, height }: ImageSize, options: { palette: boolean }) {
  const image = imageOf(bytes).resize(width, height, { fit: "fill" });
  const png = await image.png({ ...options, compressionLevel: 0 }).buffer();
  const chunks: { name: string; body: Buffer }[] = [];
  for (let at = 8, end = at; at < png.length; at = end + 4) {
    end = at + 8 + png.readUInt32BE(at);
    chunks.push({ name: png.toString("latin1", at + 4, at + 8), body: png.subarray(at + 8, end) });
  }
  const chunk = (wanted: string) =>
    Buffer.concat(chunks.filter(({ name }) => name === wanted).map(({ body }) => body));
  const raw = inflateSync(chunk("IDAT"));
  const stride = width * (options.palette ? 1 : 4);
  const rows = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    // Every row starts with the number of its filter.
    const start = row * (stride + 1);
    if (raw[start] !== 0) throw new Error("the picture could not be read back");
    rows.set(raw.subarray(start + 1, start + 1 + stride), row * stride);
  }
  return { rows, palette: chunk("PLTE"), alphas: chunk("tRNS") };
}
