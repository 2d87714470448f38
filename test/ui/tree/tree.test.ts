import { describe, expect, test } from "bun:test";
import { makeTheme } from "../../../src/ui/theme.ts";
import { renderJson, type TreeOptions } from "../../../src/ui/tree/json-tree.ts";
import { recordsOf, renderRecords } from "../../../src/ui/tree/record-table.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const colored = makeTheme({ hasColors: true, isLight: false, isAscii: false });

function tree(value: unknown, options: Partial<TreeOptions> = {}): string[] {
  return renderJson(value, { theme, width: 40, ...options });
}

describe("a tree", () => {
  test("opens containers to a depth and says how large the closed ones are", () => {
    const value = { name: "omp", list: [{ a: [1] }, { b: { c: { d: 1 } } }], none: null, empty: {} };
    expect(tree(value, { depth: 2 })).toEqual([
      "{4 keys}",
      '  name: "omp"',
      "  list: [2 items]",
      "    0: {1 key}",
      "    1: {1 key}",
      "  none: null",
      "  empty: {}",
    ]);
    expect(tree(value, { depth: 0 })).toEqual(["{4 keys}"]);
  });

  test("writes small ones on their line", () => {
    expect(tree({ point: { x: 1, y: 2 }, tags: ["a", "b"] })).toEqual([
      "{2 keys}",
      "  point: { x: 1, y: 2 }",
      '  tags: ["a", "b"]',
    ]);
    expect(tree([1, 2, 3])).toEqual(["[1, 2, 3]"]);
    expect(tree("text")).toEqual(['"text"']);
  });

  test("says what it leaves out", () => {
    const long = Array.from({ length: 100 }, (_, at) => ({ at, inner: [at] }));
    expect(tree(long, { maxEntries: 2, depth: 1 })).toEqual([
      "[100 items]",
      "  0: {2 keys}",
      "  1: {2 keys}",
      "  … 98 more",
    ]);
    expect(tree(long, { maxEntries: 50, maxLines: 3, depth: 1 })).toEqual([
      "[100 items]",
      "  0: {2 keys}",
      "  1: {2 keys}",
      "…",
    ]);
  });

  test("is never wider than it may be, nor dangerous", () => {
    const evil = {
      "k\x1b[2J y": "v\x1b[31m\x9b\x7f",
      wide: "日本語".repeat(20),
      deep: { a: { b: { c: { d: { e: "x".repeat(99) } } } } },
    };
    for (let width = 8; width < 60; width++) {
      const lines = tree(evil, { width, depth: 9 });
      expect(lines.filter((line) => Bun.stringWidth(line) > width || /\p{Cc}/u.test(line))).toEqual([]);
    }
    expect(tree({ "a b": 1, long: "y".repeat(80) })[1]).toBe('  "a b": 1');
  });

  test("of a million entries costs what it shows", () => {
    expect(
      tree(
        Array.from({ length: 1_000_000 }, (_, at) => [at, [at]]),
        { maxEntries: 1, depth: 1 },
      ),
    ).toEqual(["[1,000,000 items]", "  0: [2 items]", "  … 999,999 more"]);
  });

  test("has its colours by kind", () => {
    expect(tree({ s: "x", n: 1, b: true, o: [[]] }, { theme: colored })).toEqual([
      "\x1b[2m{4 keys}\x1b[22m",
      '  \x1b[34ms: \x1b[39m\x1b[32m"x"\x1b[39m',
      "  \x1b[34mn: \x1b[39m\x1b[36m1\x1b[39m",
      "  \x1b[34mb: \x1b[39m\x1b[35mtrue\x1b[39m",
      "  \x1b[34mo: \x1b[39m\x1b[2m[1 item]\x1b[22m",
      "    \x1b[34m0: \x1b[39m[]",
    ]);
  });
});

describe("records", () => {
  const rows = [
    { name: "alpha", size: 1, tags: ["x"] },
    { name: "b", size: 22.5, note: "a long note that does not fit into its cell" },
  ];

  test("are a list of objects that look alike", () => {
    expect(recordsOf(rows)).toEqual(rows);
    expect(recordsOf([])).toBeUndefined();
    expect(recordsOf([1, 2])).toBeUndefined();
    expect(recordsOf({ a: 1 })).toBeUndefined();
    expect(recordsOf([{ a: 1 }, { b: 1 }, { c: 1 }])).toBeUndefined();
    expect(recordsOf([{}])).toBeUndefined();
  });

  test("become a table, numbers to the right", () => {
    expect(renderRecords(rows, { theme, width: 60, maxCellWidth: 12 })).toEqual([
      "name  │ size │ tags     │ note",
      "──────┼──────┼──────────┼─────────────",
      "alpha │    1 │ [1 item] │",
      "b     │ 22.5 │          │ a long note…",
    ]);
  });

  test("rows and columns that do not fit are counted", () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      at,
      first: "aaaaaaaa",
      second: "bbbbbbbb",
      third: "cccccccc",
    }));
    expect(renderRecords(many, { theme, width: 22, maxRows: 2 })).toEqual([
      "at │ first   │ second",
      "───┼─────────┼────────",
      " 0 │ aaaaaa… │ bbbbbb…",
      " 1 │ aaaaaa… │ bbbbbb…",
      "… 28 more rows, 1 mor…",
    ]);
  });

  test("are never wider than they may be", () => {
    const wide = [{ 日本: "日本語日本語日本語", "b\x1b": "x\x1b[31my", c: 1 }];
    for (let width = 10; width < 60; width++) {
      const lines = renderRecords(wide, { theme, width });
      expect(lines.filter((line) => Bun.stringWidth(line) > width || /\p{Cc}/u.test(line))).toEqual([]);
    }
  });
});
