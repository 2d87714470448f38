/** Random Markdown, full of what could break out of it: only our own elements and attributes come out. */

import { expect, test } from "bun:test";
import { markdownHtml } from "../../src/history/html-text.ts";
import { seeded } from "../tools/files/file-place.ts";

const pieces = [
  ...[
    "<script>",
    "</script>",
    "<b>",
    "<img src=x>",
    "<!--",
    "-->",
    "<?php",
    "<![CDATA[",
    "<div>\n",
    "</div>",
  ],
  ...[
    "`",
    "``",
    "```",
    "\n",
    "\n\n",
    "*",
    "**",
    "_",
    "~~",
    "- ",
    "1. ",
    "> ",
    "# ",
    "    ",
    "| a ",
    "|\n|--|",
  ],
  ...["[", "](", ")", "![", "](javascript:x)", '](http://a"onload=x)', '[a]: javascript:y "<b>"\n', "[a]"],
  ...[
    "&lt;",
    "&#60;",
    "&",
    '"',
    "'",
    "\\<",
    "<http://x>",
    "<javascript:x>",
    "www.x.y",
    "https://x/<i>",
    "a@b.c",
  ],
  ...["\u001b[31m", "\0", "x"],
];
const ELEMENT =
  /^<\/?(?:h[2-6]|p|blockquote|pre|span|ol|ul|li|hr|table|tr|th|td|strong|em|del|code|a)(?: start="\d+"| class="(?:add|remove|hunk)"| href="(?:https?:|mailto:)[^"<>]*" rel="noreferrer")?>$/i;

test("no text becomes an element or an attribute", () => {
  const next = seeded(7);
  for (let round = 0; round < 10_000; round++) {
    const text = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join("");
    const html = markdownHtml(text);
    const strange = [...html.matchAll(/<[^>]*>?/g)].filter(([element]) => !ELEMENT.test(element));
    expect({ text, strange }).toEqual({ text, strange: [] });
  }
});
