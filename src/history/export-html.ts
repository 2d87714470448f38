/** A session as one HTML file: no script, nothing loaded from elsewhere, pictures inside. */

import type { ImagePart } from "../protocol/index.ts";
import { callText } from "./call-text.ts";
import { type Passage, passagesOf, plainText } from "./conversation.ts";
import { style } from "./export-style.ts";
import type { SessionContent } from "./read.ts";

export function htmlOf({ header, entries }: Pick<SessionContent, "header" | "entries">): string {
  const parent = header.parent === undefined ? "" : ` · copy of ${escaped(header.parent)}`;
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
    default:
      return `<section class="${passage.kind}"><div class="text">${escaped(passage.text)}</div></section>`;
  }
}

function toolElement({ name, input, output, isError, images }: Extract<Passage, { kind: "tool" }>): string {
  const { text } = callText(input);
  const heading = `<summary><b>${escaped(name)}</b> ${escaped(firstLine(text))}</summary>`;
  const blocks = [text, output ?? "[no result: omp ended first]"].map(
    (block) => `<pre>${escaped(block)}</pre>`,
  );
  return `<details${isError ? ' class="failed"' : ""}>${heading}${blocks.join("")}${pictures(images)}</details>`;
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

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
