import { expect, test } from "bun:test";
import { htmlToMarkdown } from "../../../src/tools/python/html-to-markdown.ts";

test("pictures and media are their addresses; data in the page is named by type and size", () => {
  const data = Buffer.alloc(30_000).toString("base64");
  expect(htmlToMarkdown('<img src="https://example.org/a.png" alt="a cat"/>')).toBe(
    "![a cat](https://example.org/a.png)",
  );
  expect(htmlToMarkdown(`<img src="data:image/png;base64,${data}">`)).toBe("![](image/png, 30 kB)");
  expect(
    htmlToMarkdown(
      `<audio controls="controls"><source src="data:audio/wav;base64,${data}" type="audio/wav" />Your browser does not support the audio element.</audio>`,
    ),
  ).toBe("[audio: audio/wav, 30 kB]");
  expect(htmlToMarkdown('<p>see</p><video src="clip.mp4" controls>no video</video>')).toBe(
    "see\n[video: clip.mp4]",
  );
});

test("a page within the page is its text, or its address", () => {
  expect(
    htmlToMarkdown('<iframe width="400" src="https://example.org/embed/x" allowfullscreen></iframe>after'),
  ).toBe("[page: https://example.org/embed/x]\nafter");
  expect(htmlToMarkdown('<iframe srcdoc="&lt;h1&gt;A &amp;amp; B&lt;/h1&gt;&lt;p&gt;text"></iframe>')).toBe(
    "# A & B\ntext",
  );
  expect(htmlToMarkdown('<iframe srcdoc="&lt;script&gt;draw()&lt;/script&gt;"></iframe>')).toBe(
    "[page: 35 characters of HTML]",
  );
});

test("a heading over several columns keeps the columns below it in their places", () => {
  const html =
    '<table><tr><th></th><th colspan="2">sales</th></tr><tr><th>year</th><td>1</td><td>2</td></tr></table>';
  expect(htmlToMarkdown(html)).toBe("| | sales | |\n| --- | --- | --- |\n| year | 1 | 2 |");
});
