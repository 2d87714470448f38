/** How much of a long text is shown: its end for output, its start for code; all of it when expanded. */

import { count } from "../../format/numbers.ts";
import type { View } from "../view.ts";
import { clip, widthOf, wrap } from "./lines.ts";

/** More is too much for a transcript; the whole output is in the artifact. */
const MAX_EXPANDED_LINES = 2_000;

export interface PreviewOptions {
  readonly keep: "head" | "tail";
  readonly lines: number;
  /** Before every line. */
  readonly gutter: string;
}

export function preview(
  lines: readonly string[],
  { theme, width, isExpanded }: View,
  { keep, lines: limit, gutter }: PreviewOptions,
): string[] {
  const columns = width - widthOf(gutter);
  const most = isExpanded ? MAX_EXPANDED_LINES : limit;
  // One line more than allowed is shown rather than a note of the same size.
  const cut = lines.length > most + 1 ? lines.length - most : 0;
  const kept = cut === 0 ? lines : keep === "tail" ? lines.slice(cut) : lines.slice(0, most);
  const shown = isExpanded
    ? kept.flatMap((line) => wrap(line, columns))
    : kept.map((line) => clip(line, columns, theme.symbols.more));
  const note = noteOf(cut, { keep, isExpanded }, theme.symbols.more);
  const all =
    note === undefined ? shown : keep === "tail" ? [theme.dim(note), ...shown] : [...shown, theme.dim(note)];
  return all.map((line) => `${gutter}${line}`);
}

function noteOf(
  cut: number,
  { keep, isExpanded }: { keep: "head" | "tail"; isExpanded: boolean },
  more: string,
): string | undefined {
  if (cut === 0) return undefined;
  const what = `${more} ${count(cut, keep === "tail" ? "earlier line" : "more line")}`;
  return isExpanded ? what : `${what} (Ctrl+O)`;
}
