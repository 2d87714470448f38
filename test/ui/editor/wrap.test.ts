import { expect, test } from "bun:test";
import { displayWidth } from "../../../src/ui/editor/graphemes.ts";
import { layOut, offsetAt } from "../../../src/ui/editor/wrap.ts";
import { from } from "./show.ts";

function rowsOf(picture: string, width: number): string[] {
  const { rows, cursorRow, cursorColumn } = layOut(from(picture), width);
  return [...rows.map(({ text }) => text), `${cursorRow},${cursorColumn}`];
}

test("rows break after a space, inside a word only where they must", () => {
  expect(rowsOf("the quick brown fox|", 10)).toEqual(["the quick ", "brown fox", "1,9"]);
  expect(rowsOf("abcdefghijklm|", 5)).toEqual(["abcde", "fghij", "klm", "2,3"]);
  expect(rowsOf("|hi abcdefghijklm", 5)).toEqual(["hi ", "abcde", "fghij", "klm", "0,0"]);
});

test("wide characters never stick out", () => {
  expect(rowsOf("日本語日本語|", 5)).toEqual(["日本", "語日", "本語", "2,4"]);
  expect(rowsOf("a👨‍👩‍👧👨‍👩‍👧|", 4)).toEqual(["a👨‍👩‍👧", "👨‍👩‍👧", "1,2"]);
});

test("a cursor after a full row stands on a row of its own", () => {
  expect(rowsOf("abcde|", 5)).toEqual(["abcde", "", "1,0"]);
  expect(rowsOf("abcde|\nx", 5)).toEqual(["abcde", "", "x", "1,0"]);
  expect(rowsOf("abcde\nx|", 5)).toEqual(["abcde", "x", "1,1"]);
});

test("a cursor between two rows of a line is drawn on the second", () => {
  expect(rowsOf("abcde|fgh", 5)).toEqual(["abcde", "fgh", "1,0"]);
});

test("empty lines are rows, tabs are drawn as spaces", () => {
  expect(rowsOf("a\n\n\tb|", 10)).toEqual(["a", "", "    b", "2,5"]);
});

test("a space that does not fit begins the next row", () => {
  expect(rowsOf("abcde fg|", 5)).toEqual(["abcde", " fg", "1,3"]);
});

test("rows cover the text without gaps and fit, at every width", () => {
  const text =
    "The quick 日本語 fox\n\njumps\tover 👨‍👩‍👧 e\u0301e\u0301e\u0301 averyveryverylongwordindeed   end";
  for (let width = 4; width < 60; width++) {
    const { rows } = layOut({ text, cursor: 0 }, width);
    const covered = rows.map(
      ({ start, end, startsLine }) => (startsLine && start > 0 ? "\n" : "") + text.slice(start, end),
    );
    expect(covered.join("")).toBe(text);
    expect(rows.filter((row) => displayWidth(row.text) > width)).toEqual([]);
  }
});

test("the quick way for plain text breaks where the other one does", () => {
  const text = "a bb  ccc dddd     eeeee ffffff g hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh i  jj   k";
  const accented = text.replaceAll(/[a-z]/g, "é");
  for (let width = 2; width < 90; width++) {
    const starts = (line: string) => layOut({ text: line, cursor: 0 }, width).rows.map(({ start }) => start);
    expect(starts(text)).toEqual(starts(accented));
  }
});

test("every offset comes back from its place on the screen", () => {
  const text = "The quick 日本語 fox\n\njumps over it all";
  for (let width = 4; width < 30; width++) {
    for (const cursor of [...new Intl.Segmenter().segment(text)].map(({ index }) => index)) {
      const layout = layOut({ text, cursor }, width);
      expect(offsetAt(text, layout, layout.cursorRow, layout.cursorColumn)).toBe(cursor);
    }
  }
});
