/** What cells show beside text, as lines: in its place, collapsed and expanded. */

import { describe, expect, test } from "bun:test";
import type { ToolResult } from "../../src/protocol/index.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { type CallItem, initialState, type Picture } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { itemLines } from "../../src/ui/views/item.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });

interface Drawing {
  readonly output: string;
  readonly cells: readonly (readonly unknown[])[];
  readonly details?: ToolResult["details"];
  readonly pictures?: readonly Picture[];
  readonly isExpanded?: boolean;
  readonly isLive?: boolean;
  readonly width?: number;
  readonly by?: CallItem["by"];
}

function draw({ output, cells, details, pictures = [], by = "model", ...options }: Drawing): string[] {
  const { width = 60, isExpanded = false, isLive = false } = options;
  const input = { cells: cells.map((_, index) => ({ code: `cell(${index + 1})` })) };
  const facts = cells.map((displays) => ({ status: "ok", executionCount: 1, durationMs: 5, displays }));
  const result: ToolResult = { isError: false, output, details: { cells: facts, ...details } };
  let state = initialState({ columns: width, rows: 24, cwd: "/" });
  state = reduce(state, { type: "tool_call", id: "a", name: "python", input, by }, 1_000);
  state = reduce(state, { type: "pictures", id: "a", pictures }, 2_000);
  state = reduce(state, { type: "tool_result", id: "a", name: "python", result }, 2_000);
  const [item] = state.finished;
  const view = { theme, width, isExpanded, isLive, now: 3_000 };
  // Without the heading and the code of a single cell.
  return item === undefined ? [] : itemLines(item, view).slice(cells.length === 1 ? 2 : 0);
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).join("\n");

const json = {
  name: "omp",
  list: Array.from({ length: 40 }, (_, at) => at),
  inner: { deep: { deeper: [1] } },
};
const jsonText = JSON.stringify(json, undefined, 2);
const jsonLines = jsonText.split("\n").length;

describe("JSON", () => {
  const display = { line: 1, lines: jsonLines, format: "text", text: jsonText, json };
  const output = `before\n${jsonText}\nafter`;

  test("is a folded tree between what was printed before and after it", () => {
    expect(draw({ output, cells: [[display]] })).toEqual([
      "  before",
      "  {3 keys} (Ctrl+O)",
      '    name: "omp"',
      "    list: [40 items]",
      "    inner: {1 key}",
      "  after",
    ]);
  });

  test("is whole when expanded", () => {
    const lines = draw({ output, cells: [[display]], isExpanded: true });
    expect(lines.slice(0, 4)).toEqual(["  before", "  {3 keys}", '    name: "omp"', "    list: [40 items]"]);
    expect(lines).toContain("      39: 39");
    expect(lines.slice(-4)).toEqual([
      "    inner: {1 key}",
      "      deep: {1 key}",
      "        deeper: [1]",
      "  after",
    ]);
  });

  test("a list of records is a table, with what it leaves out", () => {
    const records = Array.from({ length: 30 }, (_, id) => ({ id, name: `n${id}`, ok: id % 2 === 0 }));
    const lines = draw({ output: "x", cells: [[{ line: 0, lines: 1, text: "x", json: records }]] });
    expect([...lines.slice(0, 4), ...lines.slice(-2)]).toEqual([
      "  id │ name │ ok",
      "  ───┼──────┼──────",
      "   0 │ n0   │ true",
      "   1 │ n1   │ false",
      "  11 │ n11  │ false",
      "  … 18 more rows (Ctrl+O)",
    ]);
  });

  test("a tree that is cut says where the whole is", () => {
    const rows = Array.from({ length: 150 }, () => ({ a: [1, [2]], b: { c: [3, [4]] }, d: [[5]] }));
    const lines = draw({
      output: "x",
      cells: [[{ line: 0, lines: 1, text: "x", json: { rows } }]],
      details: { artifact: "abc" },
      isExpanded: true,
    });
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toBe("  … more (artifact://abc)");
  });
});

describe("tables", () => {
  const table = {
    columns: ["", "first", "...", "last"],
    rows: [
      ["0", "1", "...", "x"],
      ["...", "...", "...", "..."],
      ["999", "1,000.5", "...", "y"],
    ],
    rowCount: 1_000,
    columnCount: 30,
  };
  const display = { line: 1, lines: 2, format: "text", text: "a\nb", table };

  test("a data frame is laid out, and says how much more there is", () => {
    expect(draw({ output: "before\na\nb\nafter", cells: [[display]] })).toEqual([
      "  before",
      "      │   first │ … │ last",
      "  ────┼─────────┼───┼─────",
      "    0 │       1 │ … │ x",
      "    … │       … │ … │ …",
      "  999 │ 1,000.5 │ … │ y",
      "  … 998 more rows, 28 more columns",
      "  after",
    ]);
  });

  test("one with more rows than are shown says how to see them", () => {
    const rows = Array.from({ length: 40 }, (_, at) => [String(at)]);
    const long = {
      line: 0,
      lines: 1,
      text: "x",
      table: { columns: ["n"], rows, rowCount: 40, columnCount: 1 },
    };
    expect(draw({ output: "x", cells: [[long]] }).at(-1)).toBe("  … 28 more rows (Ctrl+O)");
    expect(draw({ output: "x", cells: [[long]], isExpanded: true })).toHaveLength(42);
  });

  test("is never wider than the window", () => {
    for (let width = 8; width < 50; width++)
      for (const line of draw({ output: "before\na\nb", cells: [[display]], width }))
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
  });
});

test("Markdown is rendered, a formula is its source", () => {
  const displays = [
    { line: 0, lines: 3, format: "markdown", text: "# Title\n\n- **one**" },
    { line: 3, lines: 1, format: "latex", text: "$\\displaystyle \\frac{1}{2}$" },
  ];
  expect(draw({ output: "# Title\n\n- **one**\n$\\displaystyle \\frac{1}{2}$", cells: [displays] })).toEqual([
    "  Title",
    "  ",
    "  • one",
    "  \\frac{1}{2}",
  ]);
});

describe("pictures", () => {
  const image = { mediaType: "image/png", width: 640, height: 480, bytes: 9, artifact: "pic", part: 0 };
  const display = { line: 1, lines: 0, image };
  const output = "before\nafter\n[image 1: image/png, 640×480; original: artifact://pic]";
  const details = { segments: [{ lines: 2 }, { lines: 1, note: "" }] };
  const picture: Picture = {
    label: "640×480 image/png",
    lines: ["▀▀", "▀▀"],
    columns: 2,
    mark: "",
    problem: undefined,
  };
  const caption = "  [image 640×480 image/png, artifact://pic]";

  test("stand where they were shown, with their artifact, and without the model's note", () => {
    expect(draw({ output, details, cells: [[display]], pictures: [picture] })).toEqual([
      "  before",
      "  ▀▀",
      "  ▀▀",
      `${caption} Alt+O opens it`,
      "  after",
    ]);
  });

  test("their captions take as many lines as a narrow window needs", () => {
    const narrow = ["  [image 640×480 image/png,", "  artifact://pic]"];
    const drawn = ["  [image 640×480 image/png,", "  artifact://pic] Alt+O opens it"];
    const all = ["  before", "  ▀▀", "  ▀▀", ...drawn, "  after"];
    expect(draw({ output, details, cells: [[display]], pictures: [picture], width: 32 })).toEqual(all);
    expect(draw({ output, details, cells: [[display]], width: 32 })).toEqual([
      "  before",
      ...narrow,
      "  after",
    ]);
  });

  test("a sign stands before the caption, in place of a space", () => {
    const marked = { ...picture, lines: ["", ""], mark: "\u{10f000}" };
    expect(draw({ output, details, cells: [[display]], pictures: [marked] })).toEqual([
      "  before",
      "",
      "",
      " \u{10f000}[image 640×480 image/png, artifact://pic]",
      "  after",
    ]);
  });

  test("are named where they are not drawn: too wide, still live, broken, of a format that nobody draws", () => {
    const named = ["  before", caption, "  after"];
    expect(draw({ output, details, cells: [[display]], pictures: [{ ...picture, columns: 99 }] })).toEqual(
      named,
    );
    expect(draw({ output, details, cells: [[display]], pictures: [picture], isLive: true })).toEqual(named);
    expect(draw({ output, details, cells: [[display]] })).toEqual(named);
    const problem = { ...picture, lines: [], problem: "broken" };
    expect(draw({ output, details, cells: [[display]], pictures: [problem], width: 80 })).toContain(
      "  [image 640×480 image/png, artifact://pic; not shown: broken]",
    );
    const svg = { line: 0, lines: 0, image: { mediaType: "image/svg+xml", bytes: 9, artifact: "pic" } };
    expect(draw({ output: "", cells: [[svg]] })).toEqual(["  [image image/svg+xml, artifact://pic]"]);
  });
});

describe("the place of displays", () => {
  test("in the second of several cells, behind notices, is counted in the whole output", () => {
    const output = "[a notice]\n[1/2]\none\n[2/2]\ntwo\nTREE\nthree";
    const tree = { line: 5, lines: 1, format: "text", text: "TREE", json: { a: 1 } };
    const segments = [
      { lines: 1, note: "a note" },
      { lines: 1, note: "" },
      { lines: 1, cell: 0 },
      { lines: 1, note: "" },
      { lines: 3, cell: 1 },
    ];
    expect(draw({ output, cells: [[], [tree]], details: { segments } })).toEqual([
      "  a note",
      "✓ python 1/2 · [1]",
      "  │ cell(1)",
      "  one",
      "✓ python 2/2 · [1]",
      "  │ cell(2)",
      "  two",
      "  { a: 1 }",
      "  three",
    ]);
  });

  test("one without a line, of a cut output or an older session, leaves the text as it is", () => {
    const old = { format: "text", text: "x", json: { a: 1 } };
    expect(draw({ output: "x\ny", cells: [[old]] })).toEqual(["  x", "  y"]);
  });

  test("long output keeps its end, and what was shown before it", () => {
    const tree = { line: 0, lines: 1, text: "x", json: { a: 1 } };
    const lines = draw({ output: `x\n${numbers(1, 30)}`, cells: [[tree]] });
    expect(lines.slice(0, 3)).toEqual(["  { a: 1 }", "  … 20 earlier lines (Ctrl+O)", "  21"]);
    expect(lines).toHaveLength(12);
    expect(draw({ output: numbers(1, 50), cells: [[]], by: "user" })).toHaveLength(21);
  });

  test("of many displays the newest are shown", () => {
    const displays = Array.from({ length: 10 }, (_, at) => ({ line: at, lines: 1, text: "x", json: { at } }));
    const output = Array.from({ length: 10 }, () => "x").join("\n");
    expect(draw({ output, cells: [displays] })).toEqual([
      "  … 6 earlier displays (Ctrl+O)",
      "  { at: 6 }",
      "  { at: 7 }",
      "  { at: 8 }",
      "  { at: 9 }",
    ]);
    expect(draw({ output, cells: [displays], isExpanded: true })).toHaveLength(10);
  });

  test("a display that was changed stands where its last text is", () => {
    const changed = { line: 2, lines: 1, text: "second", json: { second: 1 } };
    const other = { line: 1, lines: 1, text: "other", json: { other: 1 } };
    expect(draw({ output: "first\nother\nsecond", cells: [[changed, other]] })).toEqual([
      "  first",
      "  { other: 1 }",
      "  { second: 1 }",
    ]);
  });
});

test("a line of the output ends at 4,000 characters when expanded", () => {
  const lines = draw({ output: "y".repeat(9_000), cells: [[]], isExpanded: true });
  expect(lines.map((line) => line.trim()).join("")).toMatch(
    /^y{4000}… 9,000 characters in total \(Alt\+O\)$/,
  );
});
