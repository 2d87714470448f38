/**
 * The HTML that notebooks display (tables, headings, lists, links), as basic markdown. Streams through Bun's own HTML rewriter:
 * no document tree is built, and scripts and styles never reach the text.
 */

import { count, formatSize } from "../../format/numbers.ts";

const BLOCKS =
  "p, div, section, article, ul, ol, table, thead, tbody, pre, blockquote, h1, h2, h3, h4, h5, h6, hr, br, li, tr";
const MAX_SPAN = 60;
const HIDDEN = "script, style, head, template, noscript";

export function htmlToMarkdown(html: string): string {
  const page = new MarkdownPage();
  const rewriter = new HTMLRewriter()
    .on(HIDDEN, {
      element: (element) => {
        page.hidden += 1;
        element.onEndTag(() => {
          page.hidden -= 1;
        });
      },
    })
    .on(BLOCKS, { element: (element) => block(page, element) })
    .on("strong, b", { element: (element) => around(page, element, "**") })
    .on("em, i", { element: (element) => around(page, element, "*") })
    .on("code", { element: (element) => around(page, element, "`") })
    .on("td, th", {
      element: (element) => {
        const isHeading = element.tagName === "th";
        page.startCell(isHeading);
        const span = Number(element.getAttribute("colspan") ?? 1);
        element.onEndTag(() => {
          for (let more = 1; more < Math.min(span, MAX_SPAN); more++) page.startCell(isHeading);
        });
      },
    })
    .on("a[href]", {
      element: (element) => {
        const href = element.getAttribute("href") ?? "";
        page.add("[");
        element.onEndTag(() => page.add(`](${href})`));
      },
    })
    .on("img", {
      element: (element) =>
        page.add(`![${element.getAttribute("alt") ?? ""}](${sourceOf(element.getAttribute("src"))})`),
    })
    .on("audio, video", {
      element: (element) => {
        const kind = element.tagName;
        page.startMedia(element.getAttribute("src"));
        element.onEndTag(() => page.endMedia(kind));
      },
    })
    .on("source", { element: (element) => page.addSource(element.getAttribute("src")) })
    .on("iframe", { element: (element) => frame(page, element) })
    .onDocument({ text: (chunk) => page.addText(chunk.text) });
  rewriter.transform(html);
  return page.toString();
}

type Element = HTMLRewriterTypes.Element;

function block(page: MarkdownPage, element: Element): void {
  page.newLine();
  const heading = /^h([1-6])$/.exec(element.tagName);
  if (heading) page.add(`${"#".repeat(Number(heading[1]))} `);
  if (element.tagName === "li") page.add("- ");
  if (element.tagName === "hr") page.add("---");
  if (element.tagName === "tr") page.startRow();
  if (!element.canHaveContent) return;
  element.onEndTag((end) => {
    if (end.name === "tr") page.endRow();
    page.newLine();
  });
}

/** A page within the page: its text, or where it is. */
function frame(page: MarkdownPage, element: Element): void {
  const source = element.getAttribute("srcdoc");
  page.newLine();
  page.add(source === null ? `[page: ${sourceOf(element.getAttribute("src"))}]` : embeddedText(source));
  page.newLine();
  page.hidden += 1;
  element.onEndTag(() => {
    page.hidden -= 1;
  });
}

function embeddedText(source: string): string {
  return htmlToMarkdown(decodeEntities(source)) || `[page: ${count(source.length, "character")} of HTML]`;
}

/** An address; of data within the page, what it is. */
function sourceOf(source: string | null): string {
  const data = /^data:([\w/+.-]*)[^,]*,/.exec(source ?? "");
  if (!data) return source ?? "";
  return `${data[1] || "data"}, ${formatSize(Math.round(((source ?? "").length - data[0].length) * 0.75))}`;
}

function around(page: MarkdownPage, element: Element, mark: string): void {
  page.add(mark);
  element.onEndTag(() => page.add(mark));
}

class MarkdownPage {
  /** How many hidden elements are open. */
  hidden = 0;
  readonly #lines: string[] = [];
  #line = "";
  #cells = 0;
  #headings = 0;
  #isBelowHeader = false;
  #media: string | undefined;

  add(text: string): void {
    if (this.hidden === 0) this.#line += text;
  }

  addText(text: string): void {
    const collapsed = decodeEntities(text.replace(/\s+/g, " "));
    this.add(this.#line === "" || this.#line.endsWith(" ") ? collapsed.trimStart() : collapsed);
  }

  /** What is inside is for browsers that cannot play it. */
  startMedia(source: string | null): void {
    this.hidden += 1;
    this.#media = source ?? "";
  }

  addSource(source: string | null): void {
    if (this.#media === "") this.#media = source ?? "";
  }

  endMedia(kind: string): void {
    this.hidden -= 1;
    this.add(`[${kind}: ${sourceOf(this.#media ?? "")}]`);
    this.#media = undefined;
  }

  newLine(): void {
    if (this.#line.trim() !== "") this.#lines.push(this.#line.trimEnd());
    this.#line = "";
  }

  startRow(): void {
    this.#cells = 0;
    this.#headings = 0;
  }

  startCell(isHeading: boolean): void {
    this.#line = `${this.#line.trimEnd()} | `.trimStart();
    this.#cells += 1;
    if (isHeading) this.#headings += 1;
  }

  endRow(): void {
    if (this.#cells === 0) return;
    this.#line = `${this.#line.trimEnd()} |`;
    // Only the first of several heading rows gets the rule below it: a markdown table has one.
    const isHeader = this.#headings === this.#cells && !this.#isBelowHeader;
    this.#isBelowHeader = isHeader;
    this.newLine();
    if (isHeader) this.#lines.push(`|${" --- |".repeat(this.#cells)}`);
  }

  toString(): string {
    this.newLine();
    return this.#lines.join("\n");
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  times: "×",
};

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const point = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (point !== undefined) return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    return ENTITIES[String(name).toLowerCase()] ?? whole;
  });
}
