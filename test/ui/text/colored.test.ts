/** What a program printed, in its colours: nothing but styles passes, and each line stands for itself. */

import { describe, expect, test } from "bun:test";
import { coloredLines } from "../../../src/ui/text/colored.ts";
import { plainText } from "../../../src/ui/text/lines.ts";

const ESC = "\x1b";

test("each line starts and ends its own styles", () => {
  expect(coloredLines(`${ESC}[1;31mone\ntwo${ESC}[0m end\nplain`)).toEqual([
    `${ESC}[1m${ESC}[31mone${ESC}[22m${ESC}[39m`,
    `${ESC}[1m${ESC}[31mtwo${ESC}[22m${ESC}[39m end`,
    "plain",
  ]);
});

test("colours by index and by red, green and blue stay whole; a default ends them", () => {
  expect(coloredLines(`${ESC}[38;5;208;4ma${ESC}[48;2;1;2;3mb${ESC}[39;49mc${ESC}[mx`)).toEqual([
    `${ESC}[38;5;208m${ESC}[4ma${ESC}[48;2;1;2;3mb${ESC}[39m${ESC}[49mc${ESC}[24mx`,
  ]);
});

test("what is overwritten is gone, and its colour stays on", () => {
  expect(coloredLines(`${ESC}[31m10 %\r${ESC}[32m90 %\r${ESC}[0m`)).toEqual([
    `${ESC}[31m${ESC}[32m90 %${ESC}[39m`,
  ]);
  expect(coloredLines("a\r\nb\r")).toEqual(["a", "b"]);
});

test("an empty line and a line of nothing but styles have none", () => {
  expect(coloredLines(`${ESC}[41m\n ${ESC}[0m\nx`)).toEqual(["", " ", "x"]);
});

describe("nothing but styles passes", () => {
  const hostile = [
    `${ESC}]52;c;aGk=\x07`,
    `${ESC}]0;${ESC}[31mtitle\x07`,
    `${ESC}c`,
    `${ESC}[2J${ESC}[H`,
    `${ESC}[?1049h`,
    `${ESC}P1;1|x${ESC}\\`,
    `${ESC}[>4;2m`,
    `${ESC}[8mhidden`,
    `${ESC}[5mblink`,
    `\x9b31mred`,
    `\x9d0;t\x9c`,
    `a\x08\x08b`,
    `${ESC}[31`,
    `${ESC}[38;5m${ESC}[38;2;1mx`,
    `${ESC}[999999999999m${ESC}[38:2::1:2:3mx`,
  ];

  test.each(hostile)("of %j", (text) => {
    const shown = coloredLines(`before ${text} after ${ESC}[32mgreen${ESC}[0m`).join("\n");
    const without = shown.replace(/\p{Cc}\[(?:[\d;:]*)m/gu, "");
    expect(without).toBe(plainText(without));
    const codes = [...shown.matchAll(/\p{Cc}\[([\d;:]*)m/gu)].map(([, code = ""]) => code.split(/[;:]/)[0]);
    const known = /^(?:[123479]|2[23479]|[34]\d|9[0-7]|10[0-7])$/;
    expect(codes.filter((code = "") => !known.test(code))).toEqual([]);
  });
});
