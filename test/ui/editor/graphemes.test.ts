import { expect, test } from "bun:test";
import {
  displayWidth,
  graphemesOf,
  nextBoundary,
  previousBoundary,
  snapToBoundary,
} from "../../../src/ui/editor/graphemes.ts";

const family = "👨‍👩‍👧";
const accented = "e\u0301";
const flag = "🇩🇪";

test("a family, an accented letter and a flag are one grapheme each", () => {
  expect(graphemesOf(`${family}${accented}日${flag}a`).map(({ text, width }) => [text, width])).toEqual([
    [family, 2],
    [accented, 1],
    ["日", 2],
    [flag, 2],
    ["a", 1],
  ]);
});

test("boundaries go forth and back over the same places, across lines", () => {
  const text = `a${family}\n${accented}${flag}${flag}\n\nz`;
  const forth: number[] = [];
  for (let at = 0; at < text.length; at = nextBoundary(text, at)) forth.push(at);
  forth.push(text.length);
  const back: number[] = [];
  for (let at = text.length; at > 0; at = previousBoundary(text, at)) back.push(at);
  back.push(0);
  expect(back.reverse()).toEqual(forth);
  expect(forth.length).toBe(1 + [..."a.", "\n", ..."...", "\n", "\n", "z"].length);
});

test("an offset inside a grapheme snaps to its start", () => {
  const text = `x${family}y`;
  expect(Array.from({ length: text.length + 1 }, (_, offset) => snapToBoundary(text, offset))).toEqual([
    0,
    1,
    ...Array.from({ length: family.length - 1 }, () => 1),
    text.length - 1,
    text.length,
  ]);
});

test("a tab takes four columns wherever it stands", () => {
  expect([displayWidth("\t"), displayWidth("a\tb"), displayWidth("日\t")]).toEqual([4, 6, 6]);
});
