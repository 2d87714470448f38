/** A result's output, taken apart by its `segments` to be shown to a person. */

import type { OutputSegment, ToolDetails } from "./tool.ts";

export interface OutputPiece {
  /** What a program printed, or a note in a person's words. */
  readonly kind: "printed" | "note";
  readonly text: string;
  /** A note that says nothing that anybody would have to know. */
  readonly isQuiet?: boolean;
  /** The number of its first line, counted in the whole output. */
  readonly start: number;
  readonly cell: number | undefined;
}

/** @param firstLine the number of the output's first line, where lines before it were not kept. */
export function outputPieces(
  { output, details }: { readonly output: string; readonly details: ToolDetails },
  firstLine = 0,
): OutputPiece[] {
  // Pieces are cut out of the text, never split into lines and joined: a transcript has thousands of results.
  if (!Array.isArray(details.segments))
    return [{ kind: "printed", text: output, start: firstLine, cell: undefined }];
  const segments: readonly OutputSegment[] = details.segments;
  const pieces: OutputPiece[] = [];
  let line = 0;
  let offset = 0;
  for (const { lines: count, cell, note, isQuiet = false } of segments) {
    const start = Math.max(line, firstLine);
    line += count;
    const end = skipLines(output, offset, line - start);
    if (note !== undefined && note !== "")
      pieces.push({ kind: "note", text: note, start, cell, ...(isQuiet ? { isQuiet } : {}) });
    else if (note === undefined && line > start)
      pieces.push({ kind: "printed", text: output.slice(offset, Math.max(offset, end - 1)), start, cell });
    offset = end;
  }
  return pieces;
}

/** The offset of the line after the next `count` lines. The end of the text counts as a newline. */
function skipLines(text: string, offset: number, count: number): number {
  let at = offset;
  for (let skipped = 0; skipped < count && at <= text.length; skipped += 1) {
    const newline = text.indexOf("\n", at);
    at = (newline === -1 ? text.length : newline) + 1;
  }
  return at;
}
