/** How long the model has thought, once it has. */

import { expect, test } from "bun:test";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { itemLines } from "../../src/ui/views/item.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });

test("thinking turns into how long it took, from a second on", () => {
  const start = initialState({ columns: 60, rows: 20, cwd: "~" });
  const thinking = reduce(start, { type: "reasoning_delta", text: "Hm.\nWell." }, 1_000);
  const drawn = (endedAt: number) => {
    const state = reduce(thinking, { type: "text_delta", text: "So." }, endedAt);
    const item = [...state.finished, ...state.live].find(({ kind }) => kind === "reasoning");
    return item && itemLines(item, { theme, width: 60, isExpanded: false, now: endedAt });
  };
  expect(drawn(5_200)).toEqual(["▸ thought for 4 s (2 lines, Ctrl+O)"]);
  expect(drawn(1_300)).toEqual(["▸ thought (2 lines, Ctrl+O)"]);
});
