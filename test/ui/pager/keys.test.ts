import { expect, test } from "bun:test";
import { isCount, pagerKey, pagerKeys } from "../../../src/ui/pager/keys.ts";

test.each([
  ["Home and End, as each terminal says them", ["\x1b[H", "\x1b[1~", "g", "<"], { kind: "start" }],
  ["the end", ["\x1b[F", "\x1b[4~", "G", ">"], { kind: "end" }],
  ["a page down", [" ", "f", "\x06", "\x1b[6~"], { kind: "pages", by: 1 }],
  ["a page up", ["b", "\x02", "\x1b[5~"], { kind: "pages", by: -1 }],
  ["half a page down", ["d", "\x04"], { kind: "pages", by: 0.5 }],
  ["half a page up", ["u", "\x15"], { kind: "pages", by: -0.5 }],
  ["a line down", ["j", "\r", "\x1b[B", "\x05", "\x0e"], { kind: "lines", by: 1 }],
  ["a line up", ["k", "\x1b[A", "\x19", "\x10"], { kind: "lines", by: -1 }],
] as const)("%s", (_, keys, action) => {
  expect(pagerKeys(keys.join(""))).toEqual([...keys]);
  expect(keys.map((key) => pagerKey(key))).toEqual(keys.map(() => action));
});

test.each([
  ["a line by its number", ["g", "G"], 30, { kind: "line", line: 30 }],
  ["no line before the first", ["g", "G"], 0, { kind: "line", line: 1 }],
  ["a share of the file", ["%", "p"], 50, { kind: "percent", percent: 50 }],
  ["so many lines down", ["j", "\r"], 10, { kind: "lines", by: 10 }],
  ["so many lines up", ["k"], 10, { kind: "lines", by: -10 }],
  ["nothing else", [" "], 7, { kind: "pages", by: 1 }],
] as const)("a number before a key: %s", (_, keys, count, action) => {
  expect(keys.map((key) => pagerKey(key, count))).toEqual(keys.map(() => action));
});

test("a number is digits, and not without end", () => {
  expect(["7", "120", "9".repeat(12)].every(isCount)).toBe(true);
  expect(["", "g", "1g", "9".repeat(13)].some(isCount)).toBe(false);
});
