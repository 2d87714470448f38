/** One item of the transcript, as lines. */

import { formatElapsed } from "../../format/durations.ts";
import { count } from "../../format/numbers.ts";
import { renderMarkdown, StreamingMarkdown } from "../markdown/render.ts";
import { rendererOf } from "../renderers/index.ts";
import { otherPictures } from "../renderers/pictures.ts";
import type { Item, NoticeItem, PlainItem, TextItem } from "../store/state.ts";
import { adaptSymbols, clip, plainText, trimmedLines, widthOf, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";
import { helpLines } from "./help.ts";
import { tableLines } from "./table.ts";

export function itemLines(item: Item, view: View): string[] {
  switch (item.kind) {
    case "user":
      return userLines(item, view);
    case "assistant":
      return assistantLines(item, view);
    case "reasoning":
      return reasoningLines(item, view);
    case "call":
      return callLines(item, view);
    case "notice":
      return noticeLines(item, view);
    case "help":
      return helpLines(item, view);
    case "plain":
      return plainLines(item, view);
  }
}

/** Of an item that is still being received, the lines that can no longer change. */
export function finishedLines(item: Item, view: View): readonly string[] {
  return item.kind === "assistant" ? growingMarkdown(item, view).finishedLines(item.text) : [];
}

/** The answer being written, with the width and the colours that it was last drawn with. */
let growing:
  | { readonly id: TextItem["id"]; readonly view: View; readonly markdown: StreamingMarkdown }
  | undefined;

/** Every key pressed meanwhile draws it again, so what can no longer change is rendered only once. */
function assistantLines(item: TextItem, view: View): string[] {
  if (!item.isOpen && growing?.id !== item.id) return renderMarkdown(item.text, view);
  return [...growingMarkdown(item, view).lines(item.text, { isComplete: !item.isOpen })];
}

function growingMarkdown({ id }: TextItem, view: View): StreamingMarkdown {
  const isSame = growing?.id === id && growing.view.width === view.width && growing.view.theme === view.theme;
  if (!growing || !isSame) growing = { id, view, markdown: new StreamingMarkdown(view) };
  return growing.markdown;
}

/** On a faint background, as wide as its longest line: spaces up to the edge would be broken by a narrower window. */
function userLines({ text }: TextItem, { theme, width }: View): string[] {
  const lines = wrap(plainText(text), width - 3);
  const columns = Math.max(...lines.map(widthOf)) + 1;
  return lines.map((line, at) => {
    const sign = at === 0 ? `${theme.cyan(theme.symbols.prompt)} ` : "  ";
    const padding = theme.hasBackgrounds ? " ".repeat(columns - widthOf(line)) : "";
    return theme.said(`${sign}${theme.bold(line)}${padding}`).trimEnd();
  });
}

/** Folded to its last line while it streams, to a count afterwards. */
function reasoningLines({ text, isOpen, tookMs }: TextItem, view: View): string[] {
  const { theme, width, isExpanded } = view;
  const lines = trimmedLines(plainText(text));
  if (isExpanded) return lines.flatMap((line) => wrap(line, width - 2)).map((line) => theme.dim(`  ${line}`));
  const last = lines.at(-1) ?? "";
  const time = tookMs === undefined || tookMs < 1_000 ? "" : ` for ${formatElapsed(tookMs)}`;
  const shown = isOpen ? `thinking: ${last}` : `thought${time} (${count(lines.length, "line")}, Ctrl+O)`;
  return [theme.dim(clip(`${theme.symbols.note} ${shown}`, width, theme.symbols.more))];
}

function callLines(item: Extract<Item, { kind: "call" }>, view: View): string[] {
  // The cells of `python` show their pictures among their output.
  const pictures = item.name === "python" ? [] : otherPictures(item, view);
  const lines = [...rendererOf(item.name)(item, view), ...pictures];
  if (item.by !== "private") return lines;
  return [...lines, view.theme.dim("  (hidden from the model)")];
}

function noticeLines({ tone, text }: NoticeItem, { theme, width }: View): string[] {
  const paint = { info: theme.dim, stopped: theme.yellow, warning: theme.yellow, error: theme.red }[tone];
  const { note, stopped, failed } = theme.symbols;
  const symbol = { info: note, stopped, warning: "!", error: failed }[tone];
  const [first = "", ...rest] = wrap(adaptSymbols(plainText(text), theme.symbols), width - 2);
  return [paint(`${symbol} ${first}`), ...rest.map((line) => paint(`  ${line}`))];
}

function plainLines({ title, text, rows }: PlainItem, view: View): string[] {
  const { theme, width } = view;
  const head = title === "" ? [] : [theme.bold(clip(title, width, theme.symbols.more))];
  return [...head, ...(text === "" ? [] : wrap(plainText(text), width)), ...tableLines(rows, view)];
}
