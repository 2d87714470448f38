/** A list to pick from: filtered by what is typed, moved in by arrows. One for everything that is picked. Pure. */

import type { Press } from "../editor/keymap.ts";

export interface PickerRow {
  readonly label: string;
  readonly description: string;
}

export interface Picker {
  readonly id: number;
  readonly title: string;
  readonly rows: readonly PickerRow[];
  /** The shown rows contain every word of it. */
  readonly filter: string;
  /** Which of the shown rows, from 0. */
  readonly chosen: number;
  /** Markdown beneath the list, to see what a choice looks like. */
  readonly sample: string | undefined;
}

/** The indices of the rows that match the filter. */
export function shownRows({ rows, filter }: Pick<Picker, "rows" | "filter">): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.flatMap(({ label, description }, at) => {
    const text = `${label} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [at] : [];
  });
}

export type PickerOutcome =
  | { readonly kind: "changed"; readonly filter: string; readonly chosen: number }
  /** The index in all rows; undefined when none was picked. */
  | { readonly kind: "picked"; readonly row: number | undefined };

const PAGE = 8;

/** @returns undefined for a key that means nothing here. */
export function pickerPressed(picker: Picker, press: Press): PickerOutcome | undefined {
  const { filter, chosen } = picker;
  if (press.kind !== "command") return filtered(picker, filter + press.text.replace(/\s+/g, " "));
  switch (press.command) {
    case "submit": {
      const row = shownRows(picker)[chosen];
      return row === undefined ? undefined : { kind: "picked", row };
    }
    case "cancel":
    case "interrupt":
    case "quit":
      return { kind: "picked", row: undefined };
    case "delete-backward":
      return filtered(picker, [...filter].slice(0, -1).join(""));
    case "kill-word-backward":
    case "kill-chunk-backward":
      return filtered(picker, filter.replace(/\S*\s*$/, ""));
    case "kill-to-line-start":
      return filtered(picker, "");
    case "cursor-up":
    case "history-previous":
    case "complete-previous":
      return moved(picker, chosen - 1, { isRound: true });
    case "cursor-down":
    case "history-next":
    case "complete":
      return moved(picker, chosen + 1, { isRound: true });
    case "page-up":
      return moved(picker, chosen - PAGE, { isRound: false });
    case "page-down":
      return moved(picker, chosen + PAGE, { isRound: false });
    case "line-start":
    case "text-start":
      return moved(picker, 0, { isRound: false });
    case "line-end":
    case "text-end":
      return moved(picker, picker.rows.length, { isRound: false });
    default:
      return undefined;
  }
}

function filtered(picker: Picker, filter: string): PickerOutcome {
  // The row that was chosen stays so while it fits.
  const before = shownRows(picker)[picker.chosen];
  const at = shownRows({ ...picker, filter }).indexOf(before ?? -1);
  return { kind: "changed", filter, chosen: Math.max(0, at) };
}

function moved(picker: Picker, to: number, { isRound }: { readonly isRound: boolean }): PickerOutcome {
  const last = shownRows(picker).length - 1;
  const chosen = isRound && to < 0 ? last : isRound && to > last ? 0 : Math.min(last, to);
  return { kind: "changed", filter: picker.filter, chosen: Math.max(0, chosen) };
}
