/** A result's output, taken apart by its `segments` to be shown to a person. */

import type { OutputSegment, ToolDetails } from "./tool.ts";

export interface OutputPiece {
  /** What a program printed, or a note in a person's words. */
  readonly kind: "printed" | "note";
  readonly text: string;
  /** The number of its first line, counted in the whole output. */
  readonly start: number;
  readonly cell: number | undefined;
}

/** @param firstLine the number of the output's first line, where lines before it were not kept. */
export function outputPieces(
  { output, details }: { readonly output: string; readonly details: ToolDetails },
  firstLine = 0,
): OutputPiece[] {
  const lines = output.split("\n");
  const segments: readonly OutputSegment[] = Array.isArray(details.segments)
    ? details.segments
    : [{ lines: firstLine + lines.length }];
  const pieces: OutputPiece[] = [];
  let line = 0;
  for (const { lines: count, cell, note } of segments) {
    const start = Math.max(line, firstLine);
    line += count;
    if (note === "") continue;
    if (note !== undefined) pieces.push({ kind: "note", text: note, start, cell });
    else if (line > start)
      pieces.push({
        kind: "printed",
        text: lines.slice(start - firstLine, line - firstLine).join("\n"),
        start,
        cell,
      });
  }
  return pieces;
}
