/** A session as one HTML file: answers as Markdown, changes as diffs, pictures inside; no script, nothing loaded from elsewhere. */

import type { ImagePart } from "../protocol/index.ts";
import { callText } from "./call-text.ts";
import { type Passage, passagesOf, type ToolPassage } from "./conversation.ts";
import { style } from "./export-style.ts";
import { diffHtml, escaped, markdownHtml } from "./html-text.ts";
import type { SessionContent } from "./read.ts";

export function htmlOf({ header, entries }: Pick<SessionContent, "header" | "entries">): string {
  const parent =
    header.parent === undefined
      ? ""
      : ` · ${header.agent === undefined ? "copy" : "subagent"} of ${escaped(header.parent)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>omp session ${escaped(header.id)}</title>
<style>
${style}</style>
</head>
<body>
<header>
<h1>omp session ${escaped(header.id)}</h1>
<p>${escaped(header.cwd)} · ${escaped(header.createdAt)}${parent}</p>
</header>
<main>
${passagesOf(entries).map(elementOf).join("\n")}
</main>
</body>
</html>
`;
}

function elementOf(passage: Passage): string {
  const at = `<div class="at">${escaped(passage.at)}</div>`;
  switch (passage.kind) {
    case "tool":
      return toolElement(passage);
    case "user":
      return `<section class="user">${at}<div class="text">${escaped(passage.text)}</div>${pictures(passage.images)}</section>`;
    case "ran":
      return `<section class="user">${at}<div class="text">Ran ${escaped(passage.tool)}:</div><pre>${escaped(passage.text)}</pre></section>`;
    case "assistant":
    case "reasoning":
      return `<section class="${passage.kind}">${markdownHtml(passage.text)}</section>`;
    case "note":
      return `<section class="note"><div class="text">${escaped(passage.text)}</div></section>`;
  }
}

function toolElement({ name, input, output, diff, isError, images, nested }: ToolPassage): string {
  const { text, language } = callText(input);
  const heading = `<summary><b>${escaped(name)}</b> ${escaped(firstLine(text))}</summary>`;
  const result = block(output ?? "[no result: omp ended first]");
  // What really changed says more than what was asked for.
  const call = language !== "diff" ? block(text) : diff === undefined ? diffHtml(text) : "";
  const change = diff === undefined ? "" : diffHtml(diff);
  return `<details${isError ? ' class="failed"' : ""}>${heading}${call}${change}${result}${pictures(images)}${nested.map(toolElement).join("")}</details>`;
}

function block(text: string): string {
  return `<pre>${escaped(text)}</pre>`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
}

/** An image in a log is whatever a tool returned: only valid image data becomes an element. */
function pictures(images: readonly ImagePart[]): string {
  return images
    .map(({ mediaType, base64 }) =>
      /^image\/[a-z0-9.+-]+$/i.test(mediaType) && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
        ? `<p><img alt="" src="data:${mediaType};base64,${base64}"></p>`
        : "<p>[an image that cannot be shown]</p>",
    )
    .join("");
}
