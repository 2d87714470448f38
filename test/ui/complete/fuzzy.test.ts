import { describe, expect, test } from "bun:test";
import { fuzzyScore, rank } from "../../../src/ui/complete/fuzzy.ts";

function order(query: string, names: readonly string[]): string[] {
  return rank(query, names, (name) => name);
}

test("letters must occur, in order", () => {
  expect(fuzzyScore("ba", "abc")).toBeUndefined();
  expect(fuzzyScore("abcd", "abc")).toBeUndefined();
  expect(fuzzyScore("", "abc")).toBe(0);
});

test("small letters match both cases, a capital only itself", () => {
  expect(order("readme", ["README.md", "readme.md"]).length).toBe(2);
  expect(order("README", ["README.md", "readme.md"])).toEqual(["README.md"]);
});

test("letters are found where they mean most, not where they come first", () => {
  // Letters elsewhere make no difference to the score.
  const same = (query: string, name: string, without: string) =>
    expect([name, fuzzyScore(query, name)]).toEqual([name, fuzzyScore(query, without)]);
  same("fb", "fabulous_foo_bar", "xaxulous_foo_bar");
  same("state", "src/settings/tate/state.ts", "xrc/xexxings/xaxx/state.ts");
  same("ts", "lib/parTS/test-set.ts", "lib/parXX/tesx-sex.ts");
  same("sue", "src/ui/editor", "sxx/ux/exxxxx");
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

test("a letter that lower case makes longer does not shift the others", () => {
  expect(fuzzyScore("x", "İx")).toBe(fuzzyScore("x", "ix"));
});

test("the score is the best of all ways to place the letters", () => {
  // Longer letters side by side can never score less than the same letters apart.
  const together = fuzzyScore("abc", "xabcx") ?? 0;
  const apart = fuzzyScore("abc", "xaxbxcx") ?? 0;
  const both = fuzzyScore("abc", "xaxbxcxabcx") ?? 0;
  expect(both).toBe(together);
  expect(together).toBeGreaterThan(apart);
});
