/** One document with everything that models write, at three widths; and styles that hold in every line of a wrapped text. */

import { describe, expect, test } from "bun:test";
import { renderMarkdown, StreamingMarkdown } from "../../../src/ui/markdown/render.ts";
import { brokenLines } from "../../../src/ui/text/lines.ts";
import { makeTheme } from "../../../src/ui/theme.ts";

const plain = makeTheme({ hasColors: false, isLight: false, isAscii: false });

const document = `# Heading one with **bold** and \`code\`

Setext heading
--------------

### Third

1. first
   - nested a
     - deeper with a long text that has to wrap somewhere because it does not fit
   - nested b

   A paragraph in the item.
2. second

   \`\`\`python
   if x:
       print(x)
   \`\`\`

- [ ] to do
- [x] done, see [the page](https://example.org/a/very/long/path/that/does/not/fit?x=1)
  - [ ] nested

> A quote with a long line that wraps around at the end of the window, surely.
>
> - list in quote
>   > nested quote

| Left | Right | Center | 日本語 |
|:-----|------:|:------:|--------|
| a    | 1     | x      | 漢字のとても長いセルの内容です |
| two<br>lines | 22 | **y** | 👩‍👩‍👧 and 🇩🇪 |

Hebrew: שלום עולם and Arabic: مرحبا بالعالم among English.

Hard\\
break, https://example.com, ~~gone~~, H<sub>2</sub>O, \`<br>\` &amp; snake_case_name.

\`\`\`
${"x".repeat(130)}
	tabbed
\`\`\`

![a picture](http://example.org/p.png)

---

The end.
`;

test.each([118, 78, 38])("a document in %d columns", (width) => {
  const lines = renderMarkdown(document, { theme: plain, width });
  expect(lines.filter((line) => Bun.stringWidth(line) > width)).toEqual([]);
  expect(lines.join("\n")).toMatchSnapshot();
});

describe("while it is written", () => {
  test("an open fence is code already, in a list as well", () => {
    const lines = (text: string) => renderMarkdown(text, { theme: plain, width: 40, isComplete: false });
    expect(lines("Look:\n\n```python\ndef f():\n    ret")).toEqual(["Look:", "", "  def f():", "      ret"]);
    expect(lines("1. Look:\n   ```js\n   const a = 1;\n   con")).toEqual([
      "1. Look:",
      "     const a = 1;",
      "     con",
    ]);
  });

  test("no start of the document makes a line that is too wide or shows a fence", () => {
    for (let end = 1; end < document.length; end += 7) {
      const lines = renderMarkdown(document.slice(0, end), { theme: plain, width: 38, isComplete: false });
      expect(lines.filter((line) => Bun.stringWidth(line) > 38 || line.includes("```"))).toEqual([]);
    }
  });
});

describe("HTML", () => {
  const lines = (text: string) => renderMarkdown(text, { theme: plain, width: 40 });

  test("line breaks are line breaks, also in cells and items", () => {
    expect(lines("a<br>b")).toEqual(["a", "b"]);
    expect(lines("- a<br/>b")).toEqual(["• a", "  b"]);
    expect(lines("| x |\n|---|\n| a<br>b |")).toEqual(["x", "─", "a", "b"]);
  });

  test("in code it stays as it is", () => {
    expect(lines("`<br>`\n\n```html\n<div>\n<br>\n</div>\n```")).toEqual([
      "<br>",
      "",
      "  <div>",
      "  <br>",
      "  </div>",
    ]);
  });

  test("tags that only style are left out, others are shown", () => {
    expect(lines("H<sub>2</sub>O and <foo> and a < b")).toEqual(["H2O and <foo> and a < b"]);
    expect(lines("<details>\n\ntext\n\n</details>")).toEqual(["text"]);
  });
});

describe("a wrapped text", () => {
  test.each([
    ["one of 256 colours", "\x1b[38;5;80m", "\x1b[39m"],
    ["a true colour", "\x1b[38;2;1;2;3m", "\x1b[39m"],
    ["one of 16 colours", "\x1b[36m", "\x1b[39m"],
    ["bold", "\x1b[1m", "\x1b[22m"],
  ])("has %s in each of its lines", (_, open, close) => {
    expect(brokenLines(`${open}one two three${close} x`, 8, {})).toEqual([
      `${open}one two${close}`,
      `${open}three${close} x`,
    ]);
  });

  test("has all its styles in each of its lines", () => {
    const lines = brokenLines("\x1b[1m\x1b[38;5;80mone two three\x1b[39m\x1b[22m", 8, {});
    expect(lines.map((line) => Bun.stripANSI(line))).toEqual(["one two", "three"]);
    for (const line of lines)
      for (const part of ["\x1b[1m", "\x1b[38;5;80m", "\x1b[39m", "\x1b[22m"])
        expect(line.split(part)).toHaveLength(2);
  });

  test("has its link in each of its lines", () => {
    const theme = makeTheme({
      hasColors: true,
      depth: "256",
      isLight: false,
      isAscii: false,
      hasHyperlinks: true,
    });
    const lines = renderMarkdown("[one two three](https://example.org)", { theme, width: 8 });
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toContain("\x1b]8;;https://example.org\x07");
      expect(line).toContain("\x1b]8;;\x07");
      expect(line).toContain("\x1b[39m");
    }
  });
});

describe("a text of any length", () => {
  const texts = {
    table: `| a | b |\n| --- | --- |\n${Array.from({ length: 3_000 }, (_, row) => `| ${row} | value ${row} |`).join("\n")}`,
    code: `Look:\n\n\`\`\`python\n${"print(1) # one\n".repeat(6_000)}\`\`\`\n\nDone.`,
    paragraph: `First.\n\n${"some **bold** words ".repeat(5_000)}\n\nLast.`,
    line: "x".repeat(100_000),
    lists: "- one\n- two\n\ntext\n\n".repeat(5_000),
  };

  test.each(Object.entries(texts))("is drawn the same however it arrives: a %s", (_, text) => {
    const options = { theme: plain, width: 40 };
    const whole = renderMarkdown(text, options);
    const growing = new StreamingMarkdown(options);
    for (let end = 7_000; end < text.length; end += 7_000) {
      const finished = growing.finishedLines(text.slice(0, end));
      expect(finished).toEqual(whole.slice(0, finished.length));
    }
    expect(growing.lines(text, { isComplete: true })).toEqual(whole);
  });

  test("loses nothing: every row and every line of code is there once", () => {
    const rows = renderMarkdown(texts.table, { theme: plain, width: 40 }).flatMap(
      (line) => /value (\d+)$/.exec(line)?.[1] ?? [],
    );
    expect(rows).toEqual(Array.from({ length: 3_000 }, (_, row) => String(row)));
    const lines = renderMarkdown(texts.code, { theme: plain, width: 40 });
    expect(lines).toEqual(["Look:", "", ...Array<string>(6_000).fill("  print(1) # one"), "", "Done."]);
  });
});
