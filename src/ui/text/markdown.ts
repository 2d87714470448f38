/** A model's words, as lines. Bun's own renderer; a model cannot reach the terminal through it. */

import type { View } from "../view.ts";
import { plainText, wrap } from "./lines.ts";

export function markdownLines(text: string, { theme, width }: Pick<View, "theme" | "width">): string[] {
  const rendered = Bun.markdown.ansi(plainText(text), {
    colors: theme.hasColors,
    columns: width,
    light: theme.isLight,
    hyperlinks: false,
  });
  // Tables and code keep their own width, and are broken like everything else.
  const lines = wrap(rendered.replace(/\s+$/, ""), width);
  while (lines[0]?.trim() === "") lines.shift();
  return lines;
}
