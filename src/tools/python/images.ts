/** Pictures on their way to the model: scaled to what providers accept, and never a reason to fail a call. */

import type { ImagePart } from "../../protocol/index.ts";

/** Providers scale larger pictures down themselves, after they were paid for. */
const MAX_EDGE_PIXELS = 1568;
/** The smallest of the providers' limits is 5 MB of base64. */
const MAX_BYTES = 3_500_000;
const MAX_SOURCE_PIXELS = 100_000_000;
/** Every provider takes these as they are; what else can be decoded is sent as PNG. In the order of preference. */
export const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type PictureType = (typeof pictureTypes)[number];

/** A picture as the kernel sent it: bytes for raster formats, source text for SVG. */
export interface DisplayImage {
  readonly mediaType: PictureType | "image/svg+xml";
  readonly bytes: Uint8Array;
}

export interface ModelImage {
  readonly part: ImagePart;
  readonly width: number;
  readonly height: number;
}

export type ImageResult = { readonly image: ModelImage } | { readonly problem: string };

export async function fitImageForModel(source: DisplayImage): Promise<ImageResult> {
  if (source.mediaType === "image/svg+xml") return { problem: "SVG images cannot be shown to the model" };
  try {
    return { image: await fit(source) };
  } catch (error) {
    return {
      problem: `the image cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function fit(source: DisplayImage): Promise<ModelImage> {
  const { width, height, format } = await open(source).metadata();
  // What the bytes are counts, not what they were called: providers refuse a JPEG that is said to be a PNG.
  const mediaType = `image/${format}`;
  const isSmall = Math.max(width, height) <= MAX_EDGE_PIXELS && source.bytes.byteLength <= MAX_BYTES;
  if (isSmall && pictureTypes.some((accepted) => accepted === mediaType)) {
    // A cut-off file has a good header: a provider would refuse the request and, as the picture stays in the conversation, all after it.
    await open(source).resize(1, 1).png().bytes();
    return modelImage(mediaType, source.bytes, width, height);
  }
  const scaled = () =>
    open(source).resize(MAX_EDGE_PIXELS, MAX_EDGE_PIXELS, { fit: "inside", withoutEnlargement: true });
  const lossless = scaled().png();
  const png = await lossless.bytes();
  if (png.byteLength <= MAX_BYTES) return modelImage("image/png", png, lossless.width, lossless.height);
  const lossy = scaled().jpeg({ quality: 85 });
  return modelImage("image/jpeg", await lossy.bytes(), lossy.width, lossy.height);
}

function open(source: DisplayImage): Bun.Image {
  return new Bun.Image(source.bytes, { maxPixels: MAX_SOURCE_PIXELS });
}

function modelImage(mediaType: string, bytes: Uint8Array, width: number, height: number): ModelImage {
  return { part: { mediaType, base64: Buffer.from(bytes).toString("base64") }, width, height };
}
