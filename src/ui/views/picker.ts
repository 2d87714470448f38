/** A list to pick from, drawn instead of the prompt: title, filter, the rows around the chosen one, keys. */

import { renderMarkdown } from "../markdown/render.ts";
import { type Picker, type PickerRow, shownRows } from "../store/picker-state.ts";
import { adaptSymbols, clip, plainText, widthOf } from "../text/lines.ts";
import type { Block, View } from "../view.ts";

/** Enough to take in at a glance. */
const MOST_ROWS = 10;
/** The least share of the width for labels, when labels and descriptions do not both fit. */
const LABEL_SHARE = 0.6;
/** The title, the filter, the keys. */
const OTHER_LINES = 3;

export function pickerBlock(picker: Picker, view: View, maxLines: number): Block {
  const { theme, width } = view;
  const { more, rule, prompt } = theme.symbols;
  const indexes = shownRows(picker);
  const room = Math.max(1, Math.min(MOST_ROWS, maxLines - OTHER_LINES));
  const first = Math.max(0, Math.min(picker.chosen - Math.floor(room / 2), indexes.length - room));
  const rows = indexes.slice(first, first + room).map((index) => picker.rows[index] ?? NO_ROW);
  const labelWidth = labelColumns(rows, width);
  const lines = rows.map((row, at) => {
    const isChosen = first + at === picker.chosen;
    const line = clip(`${isChosen ? prompt : " "} ${rowText(row, labelWidth, more)}`, width, more);
    return isChosen ? theme.cyan(line) : line;
  });
  const shown = lines.length > 0 ? lines : [theme.dim(clip("  No matches", width, more))];
  const title = clip(`${rule.repeat(2)} ${picker.title} `, width, more);
  const filter = clip(picker.filter, Math.max(1, width - FILTER.length - 1), "");
  const hint =
    picker.filter === "" ? theme.dim(clip("Type to filter", width - FILTER.length - 1, "")) : filter;
  const used = OTHER_LINES + shown.length;
  return {
    lines: [
      theme.cyan(title) + theme.dim(rule.repeat(Math.max(0, width - widthOf(title)))),
      `${theme.dim(FILTER)}${hint}`,
      ...shown,
      ...sampleLines(picker, view, maxLines - used),
      theme.dim(keysLine(picker, indexes.length, view)),
    ],
    cursor: { x: FILTER.length + widthOf(filter), y: 1 },
  };
}

const FILTER = "  / ";
const NO_ROW: PickerRow = { label: "", description: "" };

function labelColumns(rows: readonly PickerRow[], width: number): number {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(widthOf));
  const left = width - widest(rows.map(({ description }) => description)) - SIGN_AND_GAP;
  const least = Math.floor(LABEL_SHARE * width);
  return Math.min(widest(rows.map(({ label }) => label)), Math.max(left, least));
}

const SIGN_AND_GAP = 4;

function rowText(row: PickerRow, labelWidth: number, more: string): string {
  const [name, description] = [row.label, row.description].map((text) =>
    adaptSymbols(plainText(text).replaceAll("\n", " "), { more }),
  );
  if (!description) return name ?? "";
  const label = clip(name ?? "", labelWidth, more);
  return `${label}${" ".repeat(Math.max(0, labelWidth - widthOf(label)) + 2)}${description}`;
}

/** The keys matter more than the counts where both do not fit. */
function keysLine({ chosen, rows }: Picker, shown: number, { theme, width }: View): string {
  const { dot, more } = theme.symbols;
  const keys = `Enter to select ${dot} Esc to close`;
  const position = `${chosen + 1}/${shown}`;
  const counts = shown === rows.length ? [position] : [`${position} of ${rows.length}`, position];
  const lines = shown === 0 ? [] : counts.map((count) => `  ${count} ${dot} ${keys}`);
  return lines.find((line) => widthOf(line) <= width) ?? clip(`  ${keys}`, width, more);
}

function sampleLines({ sample }: Picker, { theme, width }: View, room: number): string[] {
  if (sample === undefined || room < 3) return [];
  return [
    "",
    ...renderMarkdown(sample, { theme, width: width - 2 }).map((line) => `  ${line}`.trimEnd()),
  ].slice(0, room);
}
