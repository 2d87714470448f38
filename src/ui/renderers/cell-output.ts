/**
 * What a cell printed and showed, in its order. The tool says which lines of the output are whose text; in their place stands what was
 * shown. Collapsed, the end of what was printed is left, and the newest of what was shown.
 */

import { count } from "../../format/numbers.ts";
import { asRecord } from "../../protocol/record.ts";
import type { CallItem } from "../store/state.ts";
import type { View } from "../view.ts";
import { displayLines, displayPicture } from "./displays.ts";
import { isPictureNote, outputLines } from "./parts.ts";
import { numberIn, previewLines } from "./renderer.ts";

export interface CellOutput {
  readonly text: string;
  /** Its first line, counted in the whole output. */
  readonly start: number;
  readonly displays: readonly unknown[];
}

/** Beyond these a loop has shown them, and its last ones say how it ended. */
const COLLAPSED_BLOCKS = 4;
const EXPANDED_BLOCKS = 50;

type Part =
  | { readonly kind: "text"; readonly lines: readonly string[] }
  | { readonly kind: "block"; readonly lines: readonly string[] };

export function cellOutputLines(
  output: CellOutput,
  call: CallItem,
  view: View,
  { isError }: { isError: boolean },
): string[] {
  const parts = partsOf(output, call, view);
  const blocks = parts.filter(({ kind }) => kind === "block").length;
  const hidden = Math.max(0, blocks - (view.isExpanded ? EXPANDED_BLOCKS : COLLAPSED_BLOCKS));
  const lines: string[][] = [];
  let room = previewLines(call);
  let block = blocks;
  // From the end: what is left of the room goes to what was printed before.
  for (const part of parts.toReversed()) {
    if (part.kind === "block") {
      block -= 1;
      if (block >= hidden) lines.unshift([...part.lines]);
      continue;
    }
    const shown = outputLines(part.lines.join("\n"), call, view, { isError, room });
    lines.unshift(shown);
    room = Math.max(0, room - part.lines.length);
  }
  const { theme } = view;
  const note = `  ${theme.symbols.more} ${count(hidden, "earlier display")}${view.isExpanded ? "" : " (Ctrl+O)"}`;
  return [...(hidden > 0 ? [theme.dim(note)] : []), ...lines.flat()];
}

function partsOf({ text, start, displays }: CellOutput, call: CallItem, view: View): Part[] {
  const lines = text.split("\n");
  const parts: Part[] = [];
  const hasPictures = displays.some((display) => "image" in asRecord(display));
  const addText = (from: number, to: number) => {
    // The notes on pictures are for the model; they have captions here.
    const printed = lines.slice(from, to).filter((line) => !(hasPictures && isPictureNote(line)));
    if (printed.some((line) => line.trim() !== "")) parts.push({ kind: "text", lines: printed });
  };
  let at = 0;
  for (const display of inOrder(displays)) {
    const line = (numberIn(display, "line") ?? Number.NaN) - start;
    const isThere = line >= at && line <= lines.length;
    const shown = isThere ? displayLines(display, call, view) : undefined;
    const end = isThere ? line + (numberIn(display, "lines") ?? 0) : at;
    if (isThere) addText(at, shown === undefined ? end : line);
    if (isThere) at = end;
    const picture = displayPicture(display, call, view);
    for (const block of [shown ?? [], picture])
      if (block.length > 0) parts.push({ kind: "block", lines: block });
  }
  addText(at, lines.length);
  return parts;
}

/** A display that was changed stands where its last text is. */
function inOrder(displays: readonly unknown[]): unknown[] {
  const lineOf = (display: unknown) => numberIn(display, "line") ?? -1;
  return displays.toSorted((one, other) => lineOf(one) - lineOf(other));
}
