/** A list to pick from: keys in, lines out. */

import { describe, expect, test } from "bun:test";
import type { Press } from "../../src/ui/editor/keymap.ts";
import { type Picker, type PickerOutcome, pickerPressed } from "../../src/ui/store/picker-state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { pickerBlock } from "../../src/ui/views/picker.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const view = (width: number) => ({ theme, width, isExpanded: false, now: 0 });

const fruits: Picker = {
  id: 1,
  title: "Fruits",
  rows: [
    { label: "apple", description: "red or green" },
    { label: "banana", description: "yellow" },
    { label: "cherry", description: "red" },
    { label: "date", description: "brown" },
  ],
  filter: "",
  chosen: 0,
  sample: undefined,
};

const key = (command: Extract<Press, { kind: "command" }>["command"]): Press => ({
  kind: "command",
  command,
});
const typed = (text: string): Press => ({ kind: "text", text });

/** Presses one after the other; the last outcome counts. */
function after(presses: readonly Press[], start: Picker = fruits): PickerOutcome | undefined {
  let picker = start;
  let outcome: PickerOutcome | undefined;
  for (const press of presses) {
    outcome = pickerPressed(picker, press);
    if (outcome?.kind === "changed") picker = { ...picker, ...outcome };
  }
  return outcome;
}

describe("keys", () => {
  test("arrows move, and go round at the ends", () => {
    expect(after([key("cursor-down")])).toEqual({ kind: "changed", filter: "", chosen: 1 });
    expect(after([key("cursor-up")])).toEqual({ kind: "changed", filter: "", chosen: 3 });
    expect(after([key("cursor-up"), key("cursor-down")])).toEqual({ kind: "changed", filter: "", chosen: 0 });
    expect(after([key("page-down")])).toEqual({ kind: "changed", filter: "", chosen: 3 });
  });

  test("Enter picks the row as it is in the whole list", () => {
    expect(after([typed("red"), key("cursor-down"), key("submit")])).toEqual({ kind: "picked", row: 2 });
  });

  test("a filter of several words wants them all, in any order and case", () => {
    expect(after([typed("RED ch"), key("submit")])).toEqual({ kind: "picked", row: 2 });
  });

  test("the chosen row stays chosen while it fits", () => {
    expect(after([key("cursor-up"), key("cursor-up"), typed("r")])).toEqual({
      kind: "changed",
      filter: "r",
      chosen: 1,
    });
  });

  test("Backspace and Ctrl+U take the filter back", () => {
    expect(after([typed("red"), key("delete-backward")])).toMatchObject({ filter: "re" });
    expect(after([typed("red gr"), key("kill-word-backward")])).toMatchObject({ filter: "red " });
    expect(after([typed("red"), key("kill-to-line-start")])).toMatchObject({ filter: "" });
  });

  test("Esc leaves without a row, and Enter on nothing does nothing", () => {
    expect(after([key("cancel")])).toEqual({ kind: "picked", row: undefined });
    expect(after([typed("nothing like it"), key("submit")])).toBeUndefined();
  });
});

describe("lines", () => {
  test("show the title, the filter, the rows and the keys", () => {
    const { lines, cursor } = pickerBlock({ ...fruits, chosen: 1 }, view(40), 20);
    expect(lines).toEqual([
      `── Fruits ${"─".repeat(30)}`,
      "  / Type to filter",
      "  apple   red or green",
      "❯ banana  yellow",
      "  cherry  red",
      "  date    brown",
      "  2/4 · Enter to select · Esc to close",
    ]);
    expect(cursor).toEqual({ x: 4, y: 1 });
  });

  test("show what fits the filter, and where the cursor is in it", () => {
    const { lines, cursor } = pickerBlock({ ...fruits, filter: "red" }, view(40), 20);
    expect(lines.slice(1)).toEqual([
      "  / red",
      "❯ apple   red or green",
      "  cherry  red",
      "  1/2 · Enter to select · Esc to close",
    ]);
    const wide = pickerBlock({ ...fruits, filter: "red" }, view(50), 20).lines;
    expect(wide.at(-1)).toBe("  1/2 of 4 · Enter to select · Esc to close");
    expect(cursor).toEqual({ x: 7, y: 1 });
  });

  test.each([6, 9, 24])("never more than %d lines, and the chosen row among them", (room) => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ label: `row ${at}`, description: "" }));
    for (const chosen of [0, 1, 50, 98, 99]) {
      const { lines } = pickerBlock({ ...fruits, rows, chosen, sample: "a\n\nb\n\nc" }, view(20), room);
      expect(lines.length).toBeLessThanOrEqual(room);
      expect(lines).toContain(`❯ row ${chosen}`);
      expect(lines.every((line) => Bun.stringWidth(line) <= 20)).toBe(true);
    }
  });

  test("a row cannot bring its own escape sequences or line feeds", () => {
    const rows = [{ label: "a\x1b[31m", description: "b\nc" }];
    expect(pickerBlock({ ...fruits, rows }, view(40), 20).lines[2]).toBe("❯ a  b c");
  });

  test("nothing that fits is said", () => {
    expect(pickerBlock({ ...fruits, filter: "x" }, view(60), 20).lines[2]).toBe("  No matches");
  });
});
