/** Markdown as lines that fit a width: `renderMarkdown` for a whole text, `StreamingMarkdown` for one that grows. */

import { brokenLines } from "../text/lines.ts";
import type { Page } from "../view.ts";
import { colorCode } from "./code-colors.ts";
import { type Block, type ListItem, parseMarkdown } from "./parse.ts";
import { continuation, isPlainSoFar, steadyText } from "./steady.ts";
import { renderTable } from "./table.ts";

export interface MarkdownOptions extends Page {
  /** False while more follows. */
  readonly isComplete?: boolean;
  readonly hasHyperlinks?: boolean;
}

/**
 * A block may be as long as the answer, and parsing it takes a hundred times its length: one that is longer than this is rendered in
 * pieces. A table in pieces has its header above each.
 */
const PIECE_CHARS = 32_000;

export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  if (text.length <= PIECE_CHARS) return renderPiece(text, options);
  const { isComplete = true } = options;
  return [...new StreamingMarkdown(options).lines(text, { isComplete })];
}

function renderPiece(text: string, options: MarkdownOptions): string[] {
  const { theme, isComplete = true, hasHyperlinks = theme.hasHyperlinks } = options;
  const shown = isComplete ? text : steadyText(text);
  const blocks = parseMarkdown(shown, { theme, hasHyperlinks });
  return renderBlocks(blocks, { theme, width: Math.max(8, options.width) }, { isSpaced: true });
}

function renderBlocks(blocks: readonly Block[], page: Page, { isSpaced }: { isSpaced: boolean }): string[] {
  return blocks.flatMap((block, at) => {
    const lines = renderBlock(block, page);
    // Paragraphs are set apart inside a list item, too.
    const isSecond = block.kind === "paragraph" && blocks[at - 1]?.kind === "paragraph";
    return at > 0 && (isSpaced || isSecond) ? ["", ...lines] : lines;
  });
}

function renderBlock(block: Block, page: Page): string[] {
  const { theme, width } = page;
  switch (block.kind) {
    case "paragraph":
      return wrapText(block.text, width);
    case "heading":
      return wrapText(block.text, width).map((line) =>
        theme.bold(block.level <= 2 ? theme.magenta(line) : line),
      );
    case "code":
      return colorCode(block.text.replaceAll("\t", "    "), block.language, theme)
        .split("\n")
        .flatMap((line) => hardWrap(line, width - 2))
        .map((line) => (line === "" ? "" : `  ${line}`));
    case "quote":
      return renderBlocks(block.blocks, { theme, width: width - 2 }, { isSpaced: true }).map((line) =>
        `${theme.dim(theme.symbols.bar)} ${line}`.trimEnd(),
      );
    case "list":
      return block.items.flatMap((item) => renderItem(item, block.items, page));
    case "table":
      return renderTable(block, page);
    case "rule":
      return [theme.dim(theme.symbols.rule.repeat(Math.min(width, 40)))];
  }
}

function renderItem(item: ListItem, all: readonly ListItem[], { theme, width }: Page): string[] {
  const isAscii = theme.symbols.rule !== "─";
  const last = all.at(-1)?.number;
  const bullet =
    item.number === undefined
      ? isAscii
        ? "-"
        : "•"
      : `${item.number}.`.padStart(`${last ?? item.number}.`.length);
  const box = item.isChecked === undefined ? "" : item.isChecked ? "[x] " : "[ ] ";
  const head = `${bullet} ${box}`;
  const lines = renderBlocks(
    item.blocks,
    { theme, width: Math.max(8, width - head.length) },
    { isSpaced: false },
  );
  const indent = " ".repeat(head.length);
  return (lines.length === 0 ? [""] : lines).map((line, at) =>
    at === 0 ? `${theme.cyan(bullet)} ${box}${line}`.trimEnd() : line === "" ? "" : indent + line,
  );
}

/** A line feed in a paragraph is kept: in a terminal it is meant. */
function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => brokenLines(line.replaceAll("\t", " "), width, {}));
}

function hardWrap(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  return brokenLines(line, width, { wordWrap: false, trim: false });
}

/**
 * A text that grows. What is before its last paragraph break is rendered once and kept, so that a token of a long answer costs no more
 * than one of a short answer, and lines that have been shown do not change.
 */
export class StreamingMarkdown {
  readonly #options: Omit<MarkdownOptions, "isComplete">;
  #settled = "";
  #lines: string[] = [];
  /** The rest goes on with a block that was cut, */
  #isCut = false;
  /** and has to start with this. */
  #prefix = "";

  constructor(options: Omit<MarkdownOptions, "isComplete">) {
    this.#options = options;
  }

  /** @param text the whole text so far. */
  lines(text: string, { isComplete }: { isComplete: boolean }): readonly string[] {
    if (!text.startsWith(this.#settled)) {
      this.#settled = "";
      this.#lines = [];
      this.#isCut = false;
      this.#prefix = "";
    }
    while (text.length - this.#settled.length > PIECE_CHARS) this.#settle(text, PIECE_CHARS);
    this.#settle(text, undefined);
    const rest = this.#render(text.slice(this.#settled.length), isComplete);
    return this.#isCut ? [...this.#lines, ...rest] : joinBlocks(this.#lines, rest);
  }

  /** @param most how long the rest may be; where nothing in it ends a block, the block is cut. */
  #settle(text: string, most: number | undefined): void {
    const from = this.#settled.length;
    const window = text.slice(from, most === undefined ? undefined : from + most);
    const ended = settledLength(this.#prefix + window) - this.#prefix.length;
    const length = ended > 0 ? ended : most === undefined ? 0 : cutLength(window);
    if (length === 0) return;
    const piece = window.slice(0, length);
    const lines = this.#render(piece, true);
    if (!this.#isCut && this.#lines.length > 0 && lines.length > 0) this.#lines.push("");
    for (const line of lines) this.#lines.push(line);
    this.#isCut = ended <= 0;
    this.#prefix = this.#isCut ? continuation(this.#prefix + piece) : "";
    this.#settled = text.slice(0, from + length);
  }

  /** The lines that no further text can change. @param text the whole text so far. */
  finishedLines(text: string): readonly string[] {
    const lines = this.lines(text, { isComplete: false });
    if (!isPlainSoFar(this.#prefix + text.slice(this.#settled.length))) return this.#lines;
    // The last one may still be wrapped otherwise.
    return lines.slice(0, Math.max(this.#lines.length, lines.length - 1));
  }

  #render(text: string, isComplete: boolean): string[] {
    return renderPiece(this.#prefix + text, { ...this.#options, isComplete });
  }
}

/** Behind a line if possible, else behind a word. */
function cutLength(window: string): number {
  return window.lastIndexOf("\n") + 1 || window.lastIndexOf(" ") + 1 || window.length;
}

function joinBlocks(above: readonly string[], below: readonly string[]): readonly string[] {
  if (above.length === 0) return below;
  return below.length === 0 ? above : [...above, "", ...below];
}

/** Up to the last blank line that surely ends a block: outside a fence, and what follows neither continues a list nor is indented. */
export function settledLength(text: string): number {
  let settled = 0;
  let fence: string | undefined;
  let isAfterBlank = false;
  let offset = 0;
  for (const line of text.split("\n")) {
    const marker = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1];
    const isPlainStart = /^[^\s>*+\-\d|`~<=#[]/.test(line) || /^#{1,6} \S/.test(line);
    if (isAfterBlank && fence === undefined && (isPlainStart || marker !== undefined) && offset > 0)
      settled = offset;
    if (marker !== undefined) {
      if (fence === undefined) fence = marker;
      else if (marker[0] === fence[0] && marker.length >= fence.length) fence = undefined;
    }
    isAfterBlank = line.trim() === "";
    offset += line.length + 1;
  }
  return settled;
}
