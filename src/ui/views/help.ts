/** What a kernel says about a name: sections with highlighted names, source code in colours. */

import { colorCode } from "../markdown/code-colors.ts";
import type { HelpItem } from "../store/state.ts";
import { clip, plainText, trimmedLines, wrap } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { View } from "../view.ts";

const LINES = 30;
/** For a question in the middle of a line of code. */
const GLANCE_LINES = 14;
/** `Signature:`, `Docstring:`, `Init signature:` and the like, at the start of a line. */
const SECTION = /^([A-Z][a-z]+(?: [a-z]+){0,2}:)(?=\s|$)/;
const CODE_SECTION = /^(?:Init signature|Call signature|Signature):/;
const SOURCE = /^Source:/;

export function helpLines({ title, text }: HelpItem, view: View): string[] {
  const { theme, width } = view;
  const lines = trimmedLines(plainText(text));
  const source = lines.findIndex((line) => SOURCE.test(line));
  const prose = source < 0 ? lines : lines.slice(0, source);
  const code = source < 0 ? [] : lines.slice(source);
  const painted = [
    ...prose.map((line) => section(line, view)),
    ...colorCode(code.slice(1).join("\n"), "python", theme)
      .split("\n")
      .slice(0, Math.max(0, code.length - 1)),
  ];
  if (code.length > 0) painted.splice(prose.length, 0, section(code[0] ?? "", view));
  const head = title === "" ? [] : [theme.bold(clip(plainText(title), width, theme.symbols.more))];
  const gutter = `${theme.dim(theme.symbols.bar)} `;
  const most = title === "" ? GLANCE_LINES : LINES;
  // A signature that is cut off is useless.
  const whole = painted.flatMap((line) => wrap(line, width - 2));
  return [...head, ...preview(whole, view, { keep: "head", lines: most, gutter })];
}

function section(line: string, { theme }: View): string {
  const name = SECTION.exec(line)?.[1];
  if (name === undefined) return line;
  const rest = line.slice(name.length);
  return theme.cyan(name) + (CODE_SECTION.test(line) ? colorCode(rest, "python", theme) : rest);
}
