import { describe, expect, test } from "bun:test";
import { fuzzyMatch, rank } from "../../../src/ui/complete/fuzzy.ts";

function order(query: string, names: readonly string[]): string[] {
  return rank(query, names, (name) => name).map(({ item }) => item);
}

function marked(query: string, name: string): string | undefined {
  const match = fuzzyMatch(query, name);
  return (
    match &&
    [...name].map((letter, at) => (match.positions.includes(at) ? letter.toUpperCase() : letter)).join("")
  );
}

test("letters must occur, in order", () => {
  expect(fuzzyMatch("ba", "abc")).toBeUndefined();
  expect(fuzzyMatch("abcd", "abc")).toBeUndefined();
  expect(fuzzyMatch("", "abc")).toEqual({ score: 0, positions: [] });
});

test("small letters match both cases, a capital only itself", () => {
  expect(order("readme", ["README.md", "readme.md"]).length).toBe(2);
  expect(order("README", ["README.md", "readme.md"])).toEqual(["README.md"]);
});

test("letters are found where they mean most, not where they come first", () => {
  expect(marked("fb", "fabulous_foo_bar")).toBe("fabulous_Foo_Bar");
  expect(marked("state", "src/settings/tate/state.ts")).toBe("src/settings/tate/STATE.ts");
  expect(marked("ts", "lib/parTS/test-set.ts")?.startsWith("lib/parTS/")).toBe(true);
  expect(marked("sue", "src/ui/editor")).toBe("Src/Ui/Editor");
});

describe("ranking", () => {
  test("the name before the folders", () => {
    expect(order("edit", ["edit/src/ui/other.ts", "src/ui/edit.ts"])).toEqual([
      "src/ui/edit.ts",
      "edit/src/ui/other.ts",
    ]);
  });

  test("word starts before the middle of words", () => {
    expect(order("fs", ["offset.ts", "file-search.ts"])).toEqual(["file-search.ts", "offset.ts"]);
    expect(order("fs", ["offset.ts", "fileSearch.ts"])).toEqual(["fileSearch.ts", "offset.ts"]);
  });

  test("side by side before scattered", () => {
    expect(order("main", ["m-a-i-n-x.ts", "src/main.ts"])).toEqual(["src/main.ts", "m-a-i-n-x.ts"]);
  });

  test("of equals the shorter one, and then the order given", () => {
    expect(order("b", ["bbb", "b", "bb"])).toEqual(["b", "bb", "bbb"]);
    expect(order("m", ["model", "mouse"])).toEqual(["model", "mouse"]);
  });

  test("everything in its own order without a query", () => {
    expect(order("", ["z", "a"])).toEqual(["z", "a"]);
  });
});

test("a letter that lower case makes longer does not shift the highlight", () => {
  expect(fuzzyMatch("x", "İx")?.positions).toEqual([1]);
});

test("the score is the best of all ways to place the letters", () => {
  // Longer letters side by side can never score less than the same letters apart.
  const together = fuzzyMatch("abc", "xabcx")?.score ?? 0;
  const apart = fuzzyMatch("abc", "xaxbxcx")?.score ?? 0;
  const both = fuzzyMatch("abc", "xaxbxcxabcx")?.score ?? 0;
  expect(both).toBe(together);
  expect(together).toBeGreaterThan(apart);
});
