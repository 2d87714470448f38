/** A picture as it appears in the transcript: its lines and its name, and after them, where the terminal can, the picture itself. */

import type { Picture } from "../store/state.ts";
import { imageFacts } from "./decode.ts";
import { kittyDelete } from "./escapes.ts";
import type { PictureMarks } from "./picture-marks.ts";
import { type ImageOptions, type RenderedImage, renderImage } from "./render.ts";

export interface PictureSource {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Undefined options only name it. */
export async function drawPicture(
  source: PictureSource,
  options: ImageOptions | undefined,
  marks: PictureMarks,
): Promise<Picture> {
  const label = await labelOf(source);
  if (options === undefined) return named(label, undefined);
  const drawn = await renderImage(source.bytes, options);
  switch (drawn.kind) {
    case "placeholder":
      return named(label, drawn.reason);
    case "lines":
      return { label, lines: drawn.lines, columns: drawn.columns, mark: "", problem: undefined };
    case "cells":
    case "sequence":
      return { label, ...overRows(drawn, options, marks), columns: drawn.columns, problem: undefined };
  }
}

function named(label: string, problem: string | undefined): Picture {
  return { label, lines: [], columns: 0, mark: "", problem };
}

function overRows(
  drawn: Extract<RenderedImage, { kind: "cells" | "sequence" }>,
  { id, protocol }: ImageOptions,
  marks: PictureMarks,
): Pick<Picture, "lines" | "mark"> {
  const { columns, rows } = drawn;
  const lines = Array.from({ length: rows }, () => "");
  if (drawn.kind === "sequence") {
    const erase = protocol === "kitty" && id !== undefined ? kittyDelete(id) : undefined;
    return { lines, mark: marks.add({ sequence: drawn.sequence, columns, rows, erase }) };
  }
  // Line by line, each below the one before.
  const sequence = drawn.lines.join(`\x1b[${columns}D\x1b[1B`);
  return { lines, mark: marks.add({ sequence, columns, rows, upload: drawn.upload }) };
}

async function labelOf({ mediaType, bytes }: PictureSource): Promise<string> {
  try {
    const { width, height } = await imageFacts(bytes);
    return `${width}×${height} ${mediaType}`;
  } catch {
    // Bun throws errors of many kinds for what is no picture; `renderImage` reports why.
    return mediaType;
  }
}
