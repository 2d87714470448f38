/** What of an answer has not been printed, whatever happened to the window meanwhile. */

import { describe, expect, test } from "bun:test";
import { renderMarkdown, StreamingMarkdown } from "../../src/ui/markdown/render.ts";
import { unprintedLines } from "../../src/ui/screen/unprinted.ts";
import { makeTheme } from "../../src/ui/theme.ts";

const theme = makeTheme({ hasColors: true, depth: "16", isLight: false, isAscii: false });
const text = [
  "A **paragraph** of words that is longer than a narrow window, with `code`.",
  "",
  "1. one item that is long enough to be wrapped",
  "2. two",
  "",
  "> a quotation of some length, wrapped as well",
  "",
  "```python",
  "print('code', 1)",
  "```",
  "",
  "The end.",
].join("\n");
const at = (width: number) => renderMarkdown(text, { theme, width });
const letters = (lines: readonly string[]) => Bun.stripANSI(lines.join("")).replace(/[\s│]/g, "");

describe("lines that were printed", () => {
  test("are the first ones while the width is the same", () => {
    const lines = at(30);
    for (let count = 0; count <= lines.length; count += 1)
      expect(unprintedLines(lines, lines.slice(0, count))).toEqual(lines.slice(count));
  });

  test("for another width are followed by every letter that is missing, and by none twice", () => {
    for (const [before, after] of [
      [30, 50],
      [50, 30],
      [20, 80],
      [80, 20],
    ] as const)
      for (let count = 0; count <= at(before).length; count += 1) {
        const printed = at(before).slice(0, count);
        expect(letters([...printed, ...unprintedLines(at(after), printed)])).toBe(letters(at(after)));
      }
  });

  test("that were something else are printed again rather than lost", () => {
    expect(unprintedLines(["other words", "more"], ["some words"])).toEqual(["other words", "more"]);
  });

  test("are more than there are for the moment: nothing is missing", () => {
    expect(unprintedLines(["one", "two"], ["one", "two", "three"])).toEqual([]);
  });
});

describe("while a text grows", () => {
  test("a line that counts as finished stays as it is, whatever follows", () => {
    const extra =
      "| a | b |\n| - | - |\n| 1 | 2 |\n\n_one_ *two* [three](https://x.y) **four**, five and the rest of it.";
    const whole = `${text}\n\n${extra}`;
    for (const width of [20, 40, 80]) {
      const markdown = new StreamingMarkdown({ theme, width });
      let printed: readonly string[] = [];
      for (let length = 1; length <= whole.length; length += 1) {
        const finished = markdown.finishedLines(whole.slice(0, length));
        printed = [...printed, ...unprintedLines(finished, printed)];
      }
      const all = renderMarkdown(whole, { theme, width });
      expect(letters([...printed, ...unprintedLines(all, printed)])).toBe(letters(all));
    }
  });
});
