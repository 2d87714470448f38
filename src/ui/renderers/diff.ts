/** What a file has lost and won: lines with their numbers, in the colours of its language, on a faint background. */

import { colorCode, languageOf } from "../markdown/code-colors.ts";
import { widthOf } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import { sourceText } from "../text/source-text.ts";
import type { Theme } from "../theme.ts";
import type { View } from "../view.ts";

const DIFF_LINES = 24;
const GUTTER = "  ";
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

export interface ChangedLine {
  /** `@`: lines are left out here. */
  readonly sign: "+" | "-" | " " | "@";
  readonly text: string;
  /** In the file as it was, for what is gone, else as it is now; undefined where that is not known. */
  readonly number?: number | undefined;
}

/** The lines of a unified diff, without its head, which ends where the first hunk begins: below it `---` is a line like any other. */
export function diffLines(diff: string): ChangedLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = Math.max(
    0,
    lines.findIndex((line) => line.startsWith("@@")),
  );
  let [before, after] = [0, 0];
  return lines.slice(start).flatMap((line, at): ChangedLine[] => {
    const [, from, to] = HUNK.exec(line) ?? [];
    if (from !== undefined) {
      [before, after] = [Number(from) - 1, Number(to) - 1];
      return at === 0 ? [] : [{ sign: "@", text: "" }];
    }
    if (line.startsWith("\\")) return [];
    const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
    if (sign !== "+") before += 1;
    if (sign !== "-") after += 1;
    return [{ sign, text: line.slice(1), number: sign === "-" ? before : after }];
  });
}

/** Lines of one kind, such as those of a new file. @param first the number of the first; none when not given. */
export function signedLines(sign: "+" | "-", text: string | undefined, first?: number): ChangedLine[] {
  if (text === undefined) return [];
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, at) => ({
    sign,
    text: line,
    number: first === undefined ? undefined : first + at,
  }));
}

export function changeLines(lines: readonly ChangedLine[], path: string, view: View): string[] {
  const { theme, width } = view;
  const digits = Math.max(0, ...lines.map(({ number }) => (number === undefined ? 0 : `${number}`.length)));
  const rows = lines.map((line) => {
    const number = digits === 0 ? "" : `${String(line.number ?? "").padStart(digits)} `;
    return { ...line, text: sourceText(line.text).replaceAll("\t", "    "), number };
  });
  const widest = Math.max(0, ...rows.map(({ number, text }) => number.length + 1 + widthOf(text)));
  const columns = Math.min(widest, width - GUTTER.length);
  const shown = rows.map(({ sign, text, number }) => {
    if (sign === "@") return theme.dim(`${" ".repeat(digits)}${theme.symbols.more}`);
    const padding = theme.hasColors
      ? " ".repeat(Math.max(0, columns - number.length - 1 - widthOf(text)))
      : "";
    return paintedLine(sign, text, { number, padding, language: languageOf(path), theme });
  });
  return preview(shown, view, { keep: "head", lines: DIFF_LINES, gutter: GUTTER });
}

interface LineLook {
  readonly number: string;
  readonly padding: string;
  readonly language: string;
  readonly theme: Theme;
}

function paintedLine(sign: "+" | "-" | " ", text: string, look: LineLook): string {
  const { number, padding, language, theme } = look;
  if (sign === " ") return `${theme.dim(number)} ${colorCode(text, language, theme)}`.trimEnd();
  const [sided, behind] = sign === "+" ? [theme.green, theme.added] : [theme.red, theme.removed];
  // Where there is no background, the whole line has the colour.
  const code = theme.hasBackgrounds ? colorCode(text, language, theme) : sided(text);
  const end = theme.hasBackgrounds ? padding : "";
  return behind(`${theme.dim(number)}${sided(sign)}${code}${end}`);
}
