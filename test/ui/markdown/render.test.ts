import { describe, expect, test } from "bun:test";
import { renderMarkdown } from "../../../src/ui/markdown/render.ts";
import { makeTheme } from "../../../src/ui/theme.ts";

const colored = makeTheme({ hasColors: true, isLight: false, isAscii: false });
const plain = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const ascii = makeTheme({ hasColors: false, isLight: false, isAscii: true });

function lines(text: string, width = 40): string[] {
  return renderMarkdown(text, { width, theme: plain });
}

test("blocks are one line apart", () => {
  expect(lines("# Title\n\ntext\n***\n- item")).toEqual([
    "Title",
    "",
    "text",
    "",
    "─".repeat(40),
    "",
    "• item",
  ]);
});

test("paragraphs wrap at spaces, and a line feed is kept", () => {
  expect(lines("the quick brown fox\njumps", 10)).toEqual(["the quick", "brown fox", "jumps"]);
  expect(lines("日本語日本語日本語", 8)).toEqual(["日本語日", "本語日本", "語"]);
});

describe("lists", () => {
  test("are indented under their bullet, numbers to the right", () => {
    expect(lines("- one two three four five\n  - inner\n- last", 12)).toEqual([
      "• one two",
      "  three four",
      "  five",
      "  • inner",
      "• last",
    ]);
    expect(lines("9. nine\n10. ten")).toEqual([" 9. nine", "10. ten"]);
  });

  test("have boxes, code and paragraphs in them", () => {
    expect(lines("- [x] done\n- [ ] open\n\n1. run\n   ```sh\n   ls\n   ```\n\n   then")).toEqual([
      "• [x] done",
      "• [ ] open",
      "",
      "1. run",
      "     ls",
      "   then",
    ]);
  });
});

describe("tables", () => {
  const table = "| name | size |\n|:--|--:|\n| a | 1 |\n| long name | 22 |";

  test("are as wide as they need, and aligned", () => {
    expect(lines(table)).toEqual([
      "name      │ size",
      "──────────┼─────",
      "a         │    1",
      "long name │   22",
    ]);
    expect(renderMarkdown(table, { width: 40, theme: ascii })[1]).toBe("----------+-----");
  });

  test("wrap their cells where they do not fit", () => {
    expect(lines("| a | b |\n|--|--|\n| one two three | four five six |", 17)).toEqual(
      ["a       │ b", "────────┼────────", "one two │ four", "three   │ five", "        │ six"].map((line) =>
        line.trimEnd(),
      ),
    );
  });

  test("become records where there is no room for columns", () => {
    expect(lines("| a | b | c |\n|-|-|-|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |", 12)).toEqual([
      "a: 1",
      "b: 2",
      "c: 3",
      "",
      "a: 4",
      "b: 5",
      "c: 6",
    ]);
  });

  test("with wide characters keep their columns", () => {
    expect(lines("| 日本 | b |\n|-|-|\n| x | y |")).toEqual(["日本 │ b", "─────┼──", "x    │ y"]);
  });
});

test("code keeps its spaces and is broken where it must", () => {
  expect(lines("```\nif x:\n    y\n\n0123456789\n```", 8)).toEqual([
    "  if x:",
    "      y",
    "",
    "  012345",
    "  6789",
  ]);
});

test("quotes have a bar, quotes in quotes two", () => {
  expect(lines("> a\n> > b")).toEqual(["│ a", "│", "│ │ b"]);
});

describe("colours", () => {
  test("bold, italic, code, and code of a language", () => {
    expect(renderMarkdown("**b** *i* `c`", { width: 40, theme: colored })).toEqual([
      "\x1b[1mb\x1b[22m \x1b[3mi\x1b[23m \x1b[36mc\x1b[39m",
    ]);
    expect(renderMarkdown('```python\nreturn "a" # 1\n```', { width: 40, theme: colored })).toEqual([
      '  \x1b[35mreturn\x1b[39m \x1b[32m"a"\x1b[39m \x1b[2m# 1\x1b[22m',
    ]);
    expect(renderMarkdown("```diff\n-a\n+b\n```", { width: 40, theme: colored })).toEqual([
      "  \x1b[31m-a\x1b[39m",
      "  \x1b[32m+b\x1b[39m",
    ]);
  });

  test("a style goes on in the next line of a wrapped text", () => {
    expect(renderMarkdown("**one two three**", { width: 8, theme: colored })).toEqual([
      "\x1b[1mone two\x1b[22m",
      "\x1b[1mthree\x1b[22m",
    ]);
  });
});

describe("links", () => {
  test("are links where the terminal has them", () => {
    expect(
      renderMarkdown("[docs](https://a.b/c)", { width: 40, theme: colored, hasHyperlinks: true }),
    ).toEqual(["\x1b]8;;https://a.b/c\x07\x1b[34mdocs\x1b[39m\x1b]8;;\x07"]);
  });

  test("show their address elsewhere, once", () => {
    expect(lines("[docs](https://a.b/c)")).toEqual(["docs (https://a.b/c)"]);
    expect(lines("https://a.b/c")).toEqual(["https://a.b/c"]);
    expect(lines("![plot](a.png)")).toEqual(["[plot] (a.png)"]);
  });
});

test("nothing in a text reaches the terminal as a sequence", () => {
  const evil =
    "a\x1b[2Jb &#27;]0;x&#7; `\x1b[31m` [l](http://x/&#27;&#7;\x07) <b>\x1b[1m</b>\n\n```\n\x1b]52;c;x\x07\n```\n\uE0000\uE001 &#xE000;0&#xE001;";
  const shown = renderMarkdown(evil, { width: 200, theme: colored, hasHyperlinks: true }).join("\n");
  const left = Bun.stripANSI(shown);
  expect(/(?!\n)\p{Cc}/u.test(left)).toBe(false);
  expect(shown).not.toContain("\x1b[2J");
  expect(shown).not.toContain("\x1b]0;");
  expect(shown).not.toContain("\x1b]52;");
});

test("no line is wider than it may be, at any width", () => {
  const text =
    "# A heading that is long enough\n\nSome **bold text** with 日本語 and `code spans`, [link](http://example.org/a/long/address)\n\n- item one\n  - nested item with more words\n\n10. ten\n\n> quoted text that goes on\n\n| a | b | c |\n|--|--|--|\n| one two three | four | five six seven eight |\n\n```js\nconst x = 'a long line of code that does not fit'; // ok\n```";
  for (let width = 10; width <= 90; width++) {
    for (const theme of [colored, ascii]) {
      const wide = renderMarkdown(text, { width, theme }).filter((line) => Bun.stringWidth(line) > width);
      expect(wide).toEqual([]);
    }
  }
});

test("every language gives back the code that it was given", () => {
  const code =
    '#!/bin/sh\nx = "a\\"b" \'c\' # d\n// e /* f */ -- g <!-- h -->\n"""doc\n1.5e3 0xff `t$(x)` \'open';
  for (const language of [
    "python",
    "ts",
    "go",
    "sh",
    "yaml",
    "json",
    "sql",
    "html",
    "ruby",
    "lua",
    "diff",
    "unknown",
  ]) {
    const shown = renderMarkdown(`\`\`\`\`${language}\n${code}\n\`\`\`\``, { width: 200, theme: colored });
    expect(shown.map((line) => Bun.stripANSI(line).slice(2)).join("\n")).toBe(code);
  }
});
