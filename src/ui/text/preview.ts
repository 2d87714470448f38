/** How much of a long text is shown: its end for output, its start for code; all of it when expanded. */

import { count } from "../../format/numbers.ts";
import type { Paint } from "../theme.ts";
import type { View } from "../view.ts";
import { clip, MAX_LINE_CHARS, widthOf, wrap } from "./lines.ts";

/** More is too much for a transcript; the whole output is in the artifact. */
const MAX_EXPANDED_LINES = 2_000;

export interface PreviewOptions {
  readonly keep: "head" | "tail";
  readonly lines: number;
  /** Before every line. */
  readonly gutter: string;
  /** Of the lines. */
  readonly paint?: Paint;
  /** Lines that came before these and are not kept here. */
  readonly before?: number;
  /** How long a long line was, where the lines here may have lost a part of it; undefined where that is not known. */
  readonly lengthOf?: (line: string) => string | undefined;
}

export function preview(
  lines: readonly string[],
  { theme, width, isExpanded }: View,
  { keep, lines: limit, gutter, paint = asIs, before = 0, lengthOf = charactersOf }: PreviewOptions,
): string[] {
  const columns = width - widthOf(gutter);
  const most = isExpanded ? MAX_EXPANDED_LINES : limit;
  // One line more than allowed is shown rather than a note of the same size.
  const cut = lines.length > most + 1 ? lines.length - most : 0;
  const kept = cut === 0 ? lines : keep === "tail" ? lines.slice(cut) : lines.slice(0, most);
  const shown = (
    isExpanded
      ? kept.flatMap((line) => wrappedLine(line, columns, theme.symbols.more, lengthOf))
      : kept.map((line) => clippedLine(line, columns, theme.symbols.more, lengthOf))
  ).map(paint);
  const note = noteOf(cut, { keep, isExpanded, before }, theme.symbols.more);
  const all =
    note === undefined ? shown : keep === "tail" ? [theme.dim(note), ...shown] : [...shown, theme.dim(note)];
  return all.map((line) => `${gutter}${line}`);
}

type LengthOf = NonNullable<PreviewOptions["lengthOf"]>;

const charactersOf: LengthOf = (line) => count(line.length, "character");

const asIs: Paint = (text) => text;

function noteOf(
  cut: number,
  { keep, isExpanded, before }: { keep: "head" | "tail"; isExpanded: boolean; before: number },
  more: string,
): string | undefined {
  const missing = cut + before;
  if (missing === 0) return undefined;
  const what = `${more} ${count(missing, keep === "tail" ? "earlier line" : "more line")}`;
  // The transcript has no more than is kept here; the full output does.
  return `${what} (${isExpanded || before > 0 ? "Alt+O" : "Ctrl+O"})`;
}

/** A line of which most is missing says how long it is; the whole of it is in the full output. */
function clippedLine(line: string, columns: number, more: string, lengthOf: LengthOf): string {
  if (line.length <= MAX_LINE_CHARS) return clip(line, columns, more);
  const note = ` (${[lengthOf(line), "Alt+O"].filter((part) => part !== undefined).join(", ")})`;
  return columns <= 2 * note.length
    ? clip(line, columns, more)
    : clip(line, columns - note.length, more) + note;
}

function wrappedLine(line: string, columns: number, more: string, lengthOf: LengthOf): string[] {
  if (line.length <= MAX_LINE_CHARS) return wrap(line, columns);
  const length = lengthOf(line);
  const note = `${more} ${length === undefined ? "more" : `${length} in total`} (Alt+O)`;
  return [...wrap(line.slice(0, MAX_LINE_CHARS), columns), note];
}
