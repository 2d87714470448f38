/** Pictures of any format that Bun reads, as PNG or as pixels of a wanted size. Bun gives no raw pixels, so they are taken from its PNG. */

import { type Pixels, pixelsOfPng } from "./png.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageFacts extends ImageSize {
  readonly format: string;
}

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
export async function asPixels(bytes: Uint8Array, { width, height }: ImageSize): Promise<Pixels> {
  const png = await imageOf(bytes)
    .resize(width, height, { fit: "fill" })
    .png({ compressionLevel: 0 })
    .bytes();
  const pixels = pixelsOfPng(png);
  if (pixels === undefined) throw new Error("the picture could not be read back");
  return pixels;
}
