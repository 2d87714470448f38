/** A Jupyter notebook, cell by cell, as a model reads it: sources, and the text of their outputs in short. */

import * as z from "zod";
import { count } from "../../format/numbers.ts";
import type { ImagePart } from "../../protocol/index.ts";
import { fitImageForModel, type PictureType, pictureTypes } from "../python/images.ts";

const joined = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === "string" ? text : text.join("")));

const output = z.looseObject({
  output_type: z.string().catch("unknown"),
  text: joined.optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  traceback: z.array(z.string()).optional().catch(undefined),
});

const cell = z.looseObject({
  cell_type: z.string(),
  source: joined,
  execution_count: z.number().nullish().catch(undefined),
  outputs: z.array(output).optional().catch(undefined),
});

const notebook = z.looseObject({ cells: z.array(cell) });

export type NotebookCell = z.output<typeof cell>;
type Output = z.output<typeof output>;

/** Undefined when the text is no notebook of the current format. */
export function parseNotebook(text: string): NotebookCell[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = notebook.safeParse(json);
  return parsed.success ? parsed.data.cells : undefined;
}

const MAX_OUTPUT_CHARS = 1_000;
const MOST_IMAGES = 8;

/** The cells from `first` (from 1) on that fit, always at least one; `shown` is their number. */
export async function showCells(
  cells: readonly NotebookCell[],
  { first, limit, maxChars }: { readonly first: number; readonly limit: number; readonly maxChars: number },
) {
  const images: ImagePart[] = [];
  const blocks: string[] = [];
  let chars = 0;
  for (const [index, each] of cells.slice(first - 1, first - 1 + limit).entries()) {
    const taken = images.length;
    const block = await showCell(each, first + index, images);
    if (blocks.length > 0 && chars + block.length > maxChars) {
      images.length = taken;
      break;
    }
    blocks.push(abridge(block, maxChars));
    chars += block.length + 1;
  }
  return { output: blocks.join("\n"), images, shown: blocks.length };
}

async function showCell(each: NotebookCell, number: number, images: ImagePart[]): Promise<string> {
  const count = typeof each.execution_count === "number" ? `, run ${each.execution_count}` : "";
  const parts = [`[cell ${number}: ${each.cell_type}${count}]`];
  if (each.source !== "") parts.push(each.source);
  for (const [index, shown] of (each.outputs ?? []).entries()) {
    const text = await showOutput(shown, images);
    if (text !== "") parts.push(index === 0 ? `[output]\n${text}` : text);
  }
  return parts.map((part) => part.replace(/\n+$/, "")).join("\n");
}

async function showOutput(shown: Output, images: ImagePart[]): Promise<string> {
  if (shown.text !== undefined) return abridge(Bun.stripANSI(shown.text), MAX_OUTPUT_CHARS);
  if (shown.traceback !== undefined)
    return abridge(Bun.stripANSI(shown.traceback.join("\n")), MAX_OUTPUT_CHARS);
  const data = shown.data ?? {};
  const picture = pictureTypes.find((type) => data[type] !== undefined);
  if (picture !== undefined) return showPicture(picture, joined.safeParse(data[picture]).data ?? "", images);
  const text = ["text/markdown", "text/plain", "text/html"].map((type) => joined.safeParse(data[type]).data);
  const best = text.find((each) => each !== undefined);
  if (best !== undefined) return abridge(Bun.stripANSI(best), MAX_OUTPUT_CHARS);
  const types = Object.keys(data);
  return types.length === 0 ? "" : `[${types.join(", ")}]`;
}

async function showPicture(mediaType: PictureType, base64: string, images: ImagePart[]): Promise<string> {
  if (images.length >= MOST_IMAGES) return `[${mediaType}: not shown, only ${MOST_IMAGES} pictures are]`;
  const result = await fitImageForModel({ mediaType, bytes: Buffer.from(base64, "base64") });
  if ("problem" in result) return `[${mediaType}: ${result.problem}]`;
  images.push(result.image.part);
  return `[picture ${images.length}: ${mediaType}, ${result.image.width} × ${result.image.height}]`;
}

function abridge(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… [${count(text.length - limit, "more character")}]`;
}
