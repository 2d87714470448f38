import { describe, expect, test } from "bun:test";
import { renderMarkdown, StreamingMarkdown } from "../../../src/ui/markdown/render.ts";
import { steadyText } from "../../../src/ui/markdown/steady.ts";
import { makeTheme } from "../../../src/ui/theme.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const colored = makeTheme({ hasColors: true, isLight: false, isAscii: false });

const answer = `# Plan

First some **bold words**, *italic ones* and \`code\`, then a [link](https://example.org/page).

- one
- two with **bold**
  1. inner
  2. more

\`\`\`python
def f(x):
    return "a | b"  # comment

print(f(1))
\`\`\`

A table:

| name | size |
| :--- | ---: |
| a    | 1    |
| b    | 22   |

> a quote

Then a line
---

1. first

2. second

Done.
`;

/** What is shown after every character. */
function frames(text: string): string[][] {
  return Array.from({ length: text.length + 1 }, (_, at) =>
    renderMarkdown(text.slice(0, at), { width: 40, theme, isComplete: false }),
  );
}

describe("while an answer is written", () => {
  test("no frame shows a fence, a bar of a table, or the signs of emphasis", () => {
    const text = answer.replace('"a | b"', '"ab"');
    for (const frame of frames(text)) {
      expect(frame.filter((line) => /```|\||\*\*|^#|\]\(/.test(line))).toEqual([]);
    }
  });

  test("lines of finished blocks never change", () => {
    const last = renderMarkdown(answer, { width: 40, theme });
    const blocks = answer.split("\n\n");
    let length = 0;
    // Setext headings and lists change by their nature when the next line comes: they are looked at as wholes.
    for (const block of blocks) {
      length += block.length + 2;
      const soFar = renderMarkdown(answer.slice(0, length), { width: 40, theme, isComplete: false });
      if (answer.slice(0, length).split("```").length % 2 === 1)
        expect(last.slice(0, soFar.length)).toEqual(soFar);
    }
  });

  test("the number of lines goes down only where a held line turns out to be another thing", () => {
    let before = 0;
    const shrinks: string[] = [];
    for (const [at, frame] of frames(answer).entries()) {
      if (frame.length < before) shrinks.push(answer.slice(Math.max(0, at - 8), at));
      before = frame.length;
    }
    expect(shrinks).toEqual([]);
  });

  test("the last frame is the whole answer", () => {
    const streamed = new StreamingMarkdown({ width: 40, theme });
    for (let at = 0; at < answer.length; at++) streamed.lines(answer.slice(0, at), { isComplete: false });
    expect(streamed.lines(answer, { isComplete: true })).toEqual(
      renderMarkdown(answer, { width: 40, theme }),
    );
  });

  test("in pieces it shows what it would show as a whole, at every character", () => {
    const streamed = new StreamingMarkdown({ width: 30, theme: colored });
    for (let at = 0; at <= answer.length; at++) {
      const text = answer.slice(0, at);
      expect(streamed.lines(text, { isComplete: false })).toEqual(
        renderMarkdown(text, { width: 30, theme: colored, isComplete: false }),
      );
    }
  });

  test("another text starts over", () => {
    const streamed = new StreamingMarkdown({ width: 30, theme });
    streamed.lines("one\n\ntwo\n\nthree", { isComplete: false });
    expect(streamed.lines("other", { isComplete: true })).toEqual(["other"]);
  });
});

describe("what is held back", () => {
  const cases: [string, string][] = [
    ["text\n| a | b", "text\n"],
    ["text\n| a | b |\n", "text\n"],
    ["text\n| a | b |\n|--", "text\n"],
    ["| a |\n|---|\n| 1 ", "| a |\n|---|\n"],
    ["| a |\n|---|\n| 1 |\n", "| a |\n|---|\n| 1 |\n"],
    ["| no table\nbut text", "| no table\nbut text"],
    ["```py", ""],
    ["``", ""],
    ["```py\nx = 1\n``", "```py\nx = 1\n"],
    ["```py\nx | y\n| z", "```py\nx | y\n| z"],
    ["title\n--", "title\n"],
    ["#", ""],
    ["- ", ""],
    ["12.", ""],
    ["some **bo", "some **bo**"],
    ["some **", "some "],
    ["some **bold ", "some **bold**"],
    ["some **bold**", "some **bold**"],
    ["a `co", "a `co`"],
    ["a `", "a "],
    ["an *it", "an *it*"],
    ["2 * 3", "2 * 3"],
    ["see [text](http://x", "see text"],
    ["see [text](http://x)", "see [text](http://x)"],
    ["a ~~b", "a ~~b~~"],
  ];
  for (const [written, shown] of cases) {
    test(JSON.stringify(written), () => expect(steadyText(written)).toBe(shown));
  }
});
