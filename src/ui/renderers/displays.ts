/** What a cell showed beside text: a tree, a table, Markdown, a formula, a picture. Collapsed to a few lines, larger when expanded. */

import { asRecord } from "../../protocol/record.ts";
import { renderMarkdown } from "../markdown/render.ts";
import type { CallItem } from "../store/state.ts";
import { clip, indent, plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import { renderJson } from "../tree/json-tree.ts";
import { recordsOf, renderRecords } from "../tree/record-table.ts";
import { renderTextTable, textTableOf } from "../tree/text-table.ts";
import type { View } from "../view.ts";
import { shownPicture } from "./pictures.ts";
import { previewLines, textIn } from "./renderer.ts";

const INDENT = "  ";
const CTRL_O = "Ctrl+O";
/** More of a tree or a table is read in the artifact. */
const EXPANDED_ROWS = 200;
const EXPANDED_LINES = 500;
const COLLAPSED_ENTRIES = 6;

/** Lines of a display that is more than its text; undefined when the text is all there is to show. */
export function displayLines(display: unknown, call: CallItem, view: View): string[] | undefined {
  const facts = asRecord(display);
  if ("json" in facts) return jsonLines(facts["json"], call, view);
  const table = textTableOf(facts["table"]);
  if (table !== undefined) return indent(renderTextTable(table, tableOptions(call, view)), INDENT);
  const text = textIn(facts, "text");
  switch (facts["format"]) {
    case "markdown":
      return text === undefined ? undefined : markdownLines(text, call, view);
    case "latex":
      return text === undefined ? undefined : latexLines(text, view);
    default:
      return undefined;
  }
}

/** The picture of a display, which may have text, too. */
export function displayPicture(display: unknown, call: CallItem, view: View): string[] {
  const { image } = asRecord(display);
  return image === undefined ? [] : shownPicture(call, image, view);
}

function jsonLines(value: unknown, call: CallItem, view: View): string[] {
  const options = tableOptions(call, view);
  const records = recordsOf(value);
  if (records !== undefined) return indent(renderRecords(records, options), INDENT);
  const { isExpanded } = view;
  const lines = renderJson(value, {
    ...options,
    depth: isExpanded ? 12 : 1,
    maxEntries: isExpanded ? EXPANDED_ROWS : COLLAPSED_ENTRIES,
    maxLines: isExpanded ? EXPANDED_LINES : previewLines(call),
  });
  // The key that unfolds is named once, where something is folded.
  const isFolded = !isExpanded && lines.length > 1 && lines.some((line) => /[{[]\d+ /.test(line));
  const [first = "", ...rest] = lines;
  return indent(isFolded ? [`${first}${view.theme.dim(` (${CTRL_O})`)}`, ...rest] : lines, INDENT);
}

function tableOptions(call: CallItem, { theme, width, isExpanded }: View) {
  const artifact = call.result?.details.artifact;
  const whole = artifact === undefined ? undefined : `artifact://${artifact}`;
  return {
    theme,
    width: width - INDENT.length,
    // Ten rows and the dots between them are how a long frame shows itself.
    maxRows: isExpanded ? EXPANDED_ROWS : previewLines(call) + 2,
    hint: isExpanded ? whole : CTRL_O,
  };
}

function markdownLines(text: string, call: CallItem, view: View): string[] {
  const lines = renderMarkdown(plainText(text), { theme: view.theme, width: view.width - INDENT.length });
  // Already as wide as they may be: a preview would cut nothing but the number.
  return preview(lines, view, { keep: "head", lines: 2 * previewLines(call), gutter: INDENT });
}

/** Its source, without the delimiters. */
function latexLines(text: string, { theme, width }: View): string[] {
  const source = plainText(text)
    .trim()
    .replace(/^\$+|\$+$/g, "")
    .replace(/^\\displaystyle\s*/, "")
    .trim();
  const lines = source.split("\n").map((line) => clip(line, width - INDENT.length, theme.symbols.more));
  return indent(lines.map(theme.cyan), INDENT);
}
