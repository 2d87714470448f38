/** A picture for the terminal that there is, within the cells that there are. Never throws: what cannot be drawn says why. */

import { passedThrough } from "../terminal/capabilities.ts";
import type { GraphicsProtocol, Multiplexer } from "../terminal/environment.ts";
import { asIndexedPixels, asPixels, asPng, type ImageFacts, type ImageSize, imageFacts } from "./decode.ts";
import { itermImage, kittyCells, kittyImage, kittyUpload, maxKittyRows } from "./escapes.ts";
import { type CellBox, cellsWithin, fitToCells } from "./fit.ts";
import { asciiArt, type BlockColors, halfBlocks } from "./half-blocks.ts";
import { sixelOf } from "./sixel.ts";

export interface ImageOptions {
  /** Undefined draws with half-blocks. */
  readonly protocol: GraphicsProtocol | undefined;
  readonly limit: CellBox;
  /** Pixels of a cell, where they are known. */
  readonly cell?: ImageSize | undefined;
  /** A sixel picture that has more pixels is cut by the terminal. */
  readonly sixelSize?: ImageSize | undefined;
  readonly colors: BlockColors;
  readonly hasUnicode: boolean;
  readonly multiplexer?: Multiplexer | undefined;
  /** For kitty's protocol: a number of one's own from 1 to 16,777,215 for each picture. */
  readonly id?: number | undefined;
  /** Kitty's protocol by cells of text that scroll and go through multiplexers like text. Kitty and Ghostty can; others show symbols. */
  readonly hasCells?: boolean;
}

export type RenderedImage =
  /** Write the upload once, anywhere, before the lines are drawn; the lines are ordinary text. */
  | ({ readonly kind: "cells"; readonly upload: string; readonly lines: readonly string[] } & CellBox)
  /** Draw it after making room: it takes this many cells from the cursor on. */
  | ({ readonly kind: "sequence"; readonly sequence: string } & CellBox)
  | ({ readonly kind: "lines"; readonly lines: readonly string[] } & CellBox)
  | { readonly kind: "placeholder"; readonly reason: string };

const usualCell: ImageSize = { width: 10, height: 20 };
/** A terminal takes too long for more. */
const MAX_SEQUENCE_CHARACTERS = 8_000_000;

export async function renderImage(bytes: Uint8Array, options: ImageOptions): Promise<RenderedImage> {
  try {
    const facts = await imageFacts(bytes);
    const { columns, rows } = options.limit;
    if (facts.width < 1 || facts.height < 1 || columns < 1 || rows < 1) return placeholder("no room");
    return await drawn(bytes, facts, options);
  } catch (error) {
    return placeholder(error instanceof Error ? error.message : String(error));
  }
}

async function drawn(bytes: Uint8Array, facts: ImageFacts, options: ImageOptions): Promise<RenderedImage> {
  const { protocol, limit, multiplexer, cell = usualCell, sixelSize } = options;
  if (protocol === undefined) return await asText(bytes, facts, options);
  const isCut = protocol === "sixel" && sixelSize !== undefined;
  const box = fitToCells(facts, cell, isCut ? cellsWithin(sixelSize, cell, limit) : limit);
  const size = { width: box.columns * cell.width, height: box.rows * cell.height };
  const { id, hasCells = false } = options;
  if (protocol === "kitty" && hasCells && id !== undefined && box.rows <= maxKittyRows) {
    const upload = kittyUpload(await asPng(bytes, facts, size), box, id);
    const lines = kittyCells(box, id);
    return { kind: "cells", upload: passedThrough(upload, multiplexer), lines, ...box };
  }
  const sequence = await sequenceOf(protocol, bytes, facts, { box, size, id });
  if (sequence.length > MAX_SEQUENCE_CHARACTERS) return await asText(bytes, facts, options);
  return { kind: "sequence", sequence: passedThrough(sequence, multiplexer), ...box };
}

async function sequenceOf(
  protocol: GraphicsProtocol,
  bytes: Uint8Array,
  facts: ImageFacts,
  { box, size, id }: { box: CellBox; size: ImageSize; id: number | undefined },
): Promise<string> {
  if (protocol === "kitty") return kittyImage(await asPng(bytes, facts, size), box, id);
  if (protocol === "iterm2") return itermImage(await asPng(bytes, facts, size), box);
  return sixelOf(await asIndexedPixels(bytes, size));
}

/** A cell is about twice as high as wide, so two pixels in it are square. */
async function asText(
  bytes: Uint8Array,
  facts: ImageFacts,
  { limit, colors, hasUnicode }: ImageOptions,
): Promise<RenderedImage> {
  const box = fitToCells(facts, { width: 1, height: 2 }, limit);
  const pixels = await asPixels(bytes, { width: box.columns, height: box.rows * 2 });
  const lines = colors === "none" || !hasUnicode ? asciiArt(pixels) : halfBlocks(pixels, colors);
  return { kind: "lines", lines, ...box };
}

function placeholder(reason: string): RenderedImage {
  const words = reason.replace(/\p{Cc}+/gu, " ").replace(/^Image: /, "");
  return { kind: "placeholder", reason: words.slice(0, 100) };
}
