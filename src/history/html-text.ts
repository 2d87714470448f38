/** Text, Markdown and diffs as HTML. Nothing that they contain becomes an element of its own, and nothing is loaded. */

import { plainText } from "./conversation.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escaped(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

export function markdownHtml(text: string): string {
  return Bun.markdown.render(plainText(text), callbacks, {
    autolinks: true,
    noHtmlBlocks: true,
    noHtmlSpans: true,
  });
}

/** Bun calls them from the inside out: `children` is HTML already, and every piece of text has been through `text`. */
const callbacks: Bun.markdown.RenderCallbacks = {
  text: escaped,
  html: escaped,
  // The document has its own first heading.
  heading: (children, { level }) => element(`h${Math.min(level + 1, 6)}`, children),
  paragraph: (children) => element("p", children),
  blockquote: (children) => element("blockquote", children),
  code: (children, meta) => `<pre>${meta?.language === "diff" ? diffLines(children) : children}</pre>`,
  list: (children, { ordered, start }) =>
    ordered ? `<ol start="${start ?? 1}">${children}</ol>` : element("ul", children),
  listItem: (children, { checked }) =>
    element("li", `${checked === undefined ? "" : checked ? "☑ " : "☐ "}${children}`),
  hr: () => "<hr>",
  table: (children) => element("table", children),
  tr: (children) => element("tr", children),
  th: (children) => element("th", children),
  td: (children) => element("td", children),
  strong: (children) => element("strong", children),
  emphasis: (children) => element("em", children),
  strikethrough: (children) => element("del", children),
  codespan: (children) => element("code", children),
  link: (children, { href }) =>
    /^(?:https?:|mailto:)/i.test(href)
      ? `<a href="${escaped(href)}" rel="noreferrer">${children}</a>`
      : children,
  image: (children, { src }) => `[${children === "" ? "image" : children}: ${escaped(src)}]`,
};

function element(name: string, children: string): string {
  return `<${name}>${children}</${name}>`;
}

export function diffHtml(diff: string): string {
  return `<pre>${diffLines(escaped(diff))}</pre>`;
}

/** @param diff escaped already */
function diffLines(diff: string): string {
  const lines = diff.split("\n");
  const firstHunk = lines.findIndex((line) => line.startsWith("@@"));
  return lines.map((line, index) => diffLine(line, index < firstHunk)).join("\n");
}

/** @param isHead above the first hunk: below it `---` is a line like any other */
function diffLine(line: string, isHead: boolean): string {
  if (!/^(?:[-+]|@@)/.test(line)) return line;
  const kind = isHead || line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "add" : "remove";
  return `<span class="${kind}">${line}</span>`;
}
