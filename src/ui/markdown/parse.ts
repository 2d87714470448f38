/**
 * Markdown to a tree of blocks. Bun parses; its callbacks run from the inside out, where the width is not yet known, so each block is
 * stored under a mark and the tree is built from the marks. The text is styled and safe: nothing that a model writes, not even `&#27;`,
 * becomes an escape sequence.
 */

import type { Theme } from "../theme.ts";

export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly items: readonly ListItem[] }
  | { readonly kind: "table"; readonly header: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

export interface ListItem {
  /** Undefined in a list of bullets. */
  readonly number: number | undefined;
  readonly isChecked: boolean | undefined;
  readonly blocks: readonly Block[];
}

export interface Cell {
  readonly text: string;
  readonly align: "left" | "center" | "right";
}

export interface InlineStyle {
  readonly theme: Theme;
  /** OSC 8 links; otherwise the address is written after the text. */
  readonly hasHyperlinks: boolean;
}

const [OPEN, CLOSE] = ["\uE000", "\uE001"];
const MARKS = /\uE000(\d+)\uE001/g;
const [TAG_OPEN, TAG_CLOSE] = ["\uE002", "\uE003"];
const MARKED_TAGS = /\uE002(.*?)\uE003/gs;
const PLAIN = /^[ -~\n\t]*$/;

/** Without control characters other than line feed and tab, and without our own marks. */
function safeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/(?![\n\t])\p{Cc}|[\uE000-\uE003]/gu, "");
}

type Part =
  | Block
  | { readonly kind: "item"; readonly item: ListItem }
  | { readonly kind: "row"; readonly cells: Cell[] }
  | ({ readonly kind: "cell" } & Cell);

export function parseMarkdown(text: string, style: InlineStyle): Block[] {
  const parts: Part[] = [];
  const put = (part: Part): string => `${OPEN}${parts.push(part) - 1}${CLOSE}`;
  const inside = (children: string): (Part | string)[] =>
    children.split(MARKS).map((piece, at) => (at % 2 === 0 ? piece : (parts[Number(piece)] ?? "")));
  const blocksOf = (children: string): Block[] => inside(children).flatMap(asBlock);
  const rowsOf = (children: string): Cell[][] =>
    inside(children).flatMap((part) => (typeof part !== "string" && part.kind === "row" ? [part.cells] : []));
  const cell = (children: string, meta?: { align?: string | undefined }): string =>
    put({ kind: "cell", text: withoutTags(children).trim(), align: alignment(meta?.align) });
  const root = Bun.markdown.render(
    safeText(Bun.stripANSI(text)),
    {
      ...inlineCallbacks(style),
      heading: (children, { level }) => put({ kind: "heading", level, text: withoutTags(children) }),
      paragraph: (children) => put({ kind: "paragraph", text: withoutTags(children) }),
      html: (children) => {
        const text = withoutTags(children).trim();
        return text === "" ? "" : put({ kind: "paragraph", text });
      },
      code: (children, meta) =>
        put({ kind: "code", language: meta?.language ?? "", text: withTags(children).replace(/\n$/, "") }),
      blockquote: (children) => put({ kind: "quote", blocks: blocksOf(children) }),
      hr: () => put({ kind: "rule" }),
      listItem: (children, meta) => {
        const number = meta.ordered ? (meta.start ?? 1) + meta.index : undefined;
        return put({ kind: "item", item: { number, isChecked: meta.checked, blocks: blocksOf(children) } });
      },
      list: (children) =>
        put({
          kind: "list",
          items: inside(children).flatMap((part) =>
            typeof part !== "string" && part.kind === "item" ? [part.item] : [],
          ),
        }),
      th: cell,
      td: cell,
      tr: (children) =>
        put({
          kind: "row",
          cells: inside(children).flatMap((part) =>
            typeof part !== "string" && part.kind === "cell" ? [part] : [],
          ),
        }),
      thead: (children) => children,
      tbody: (children) => children,
      table: (children) => {
        const [header = [], ...rows] = rowsOf(children);
        return put({ kind: "table", header, rows });
      },
    },
    { tables: true, strikethrough: true, tasklists: true, autolinks: true },
  );
  return blocksOf(root);
}

function asBlock(part: Part | string): Block[] {
  if (typeof part === "string")
    return part.trim() === "" ? [] : [{ kind: "paragraph", text: withoutTags(part).trim() }];
  return part.kind === "item" || part.kind === "row" || part.kind === "cell" ? [] : [part];
}

function alignment(written: string | undefined): Cell["align"] {
  return written === "right" || written === "center" ? written : "left";
}

function inlineCallbacks({ theme, hasHyperlinks }: InlineStyle): Bun.markdown.RenderCallbacks {
  return {
    text: (children) => markTag(safeText(children)),
    strong: theme.bold,
    emphasis: theme.italic,
    codespan: (children) => theme.cyan(withTags(children)),
    strikethrough: (children) => (theme.hasColors ? `\x1b[9m${children}\x1b[29m` : `~~${children}~~`),
    link: (children, { href }) => {
      const address = safeAddress(href);
      if (hasHyperlinks && theme.hasColors)
        return `\x1b]8;;${address}\x07${theme.blue(children)}\x1b]8;;\x07`;
      const plain = Bun.stripANSI(children);
      return plain === href || href === `mailto:${plain}`
        ? children
        : `${children} ${theme.dim(`(${address})`)}`;
    },
    image: (children, { src }) =>
      `[${children === "" ? "image" : children}] ${theme.dim(`(${safeAddress(src)})`)}`,
  };
}

const STYLE_TAGS = "sub|sup|kbd|b|i|u|em|strong|small|span|code|p|div|details|summary";
const TAG = new RegExp(`^<(?:br\\s*/?|/?(?:${STYLE_TAGS})(?:\\s[^>]*)?)>$`, "i");

/** A tag is reported as a text of its own, in code as well: only the callback around it knows which it is, so tags are marked. */
function markTag(text: string): string {
  return TAG.test(text) ? `${TAG_OPEN}${text}${TAG_CLOSE}` : text;
}

/** A `<br>` becomes a line break; tags that only style are removed. */
function withoutTags(children: string): string {
  if (!children.includes(TAG_OPEN)) return children;
  return children.replace(MARKED_TAGS, (_, found: string) => (/^<br/i.test(found) ? "\n" : ""));
}

function withTags(children: string): string {
  return children.replace(MARKED_TAGS, "$1");
}

/** Without anything that could end the sequence around it. */
function safeAddress(address: string): string {
  return safeText(address).replace(/[\s\u0080-\uFFFF]/gu, encodeURIComponent);
}
