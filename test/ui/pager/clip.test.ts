import { describe, expect, test } from "bun:test";
import { clipLine } from "../../../src/ui/pager/clip.ts";

const red = "\x1b[31m";
const off = "\x1b[39m";

test("a line is cut at the width, by columns", () => {
  expect(clipLine("hello world", { left: 0, width: 5 })).toBe("hello");
  expect(clipLine("hello world", { left: 6, width: 50 })).toBe("world");
  expect(clipLine("日本語", { left: 0, width: 5 })).toBe("日本");
  expect(clipLine("anything", { left: 0, width: 0 })).toBe("");
});

test("colours and links are kept and closed", () => {
  expect(clipLine(`${red}hello${off} x`, { left: 0, width: 3 })).toBe(`${red}hel${off}`);
  expect(clipLine(`${red}hello${off} x`, { left: 3, width: 2 })).toBe(`${red}lo${off}`);
  const link = clipLine("\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", { left: 0, width: 2 });
  expect(Bun.stripANSI(link)).toBe("te");
  expect(link).toContain("http://a");
});

test("everything else that a terminal would obey is gone or shown", () => {
  const line = "a\x1b[2Jb\x1b]0;title\x07c\x1bPq#0\x1b\\d\x1bce\x1b[?1049hf\x00\x07\x7f\x9bg\x1b[";
  expect(clipLine(line, { left: 0, width: 80 })).toBe("abcdef^@^G^?<9b>g");
});

test("tabs go to the next stop of eight", () => {
  expect(clipLine("a\tb\t\tc", { left: 0, width: 80 })).toBe("a       b               c");
  expect(clipLine(`${red}ab${off}\tc`, { left: 0, width: 80 })).toBe(`${red}ab${off}      c`);
});

test("of a progress bar the last thing written is shown", () => {
  expect(clipLine("10%\r20%\r100%\r", { left: 0, width: 80 })).toBe("100%");
});

describe("a search", () => {
  const highlight = { text: "lo", isExact: false };

  test("stands out in reverse, in any case that it matches", () => {
    expect(clipLine("hello LO", { left: 0, width: 80, highlight })).toBe(
      "hel\x1b[7mlo\x1b[27m \x1b[7mLO\x1b[27m",
    );
    expect(clipLine("hello LO", { left: 0, width: 80, highlight: { text: "LO", isExact: true } })).toBe(
      "hello \x1b[7mLO\x1b[27m",
    );
  });

  test("stands out across a change of colour, and when it is cut", () => {
    const across = clipLine(`hel${red}l${off}o!`, {
      left: 0,
      width: 80,
      highlight: { text: "llo", isExact: false },
    });
    expect(Bun.stripANSI(across)).toBe("hello!");
    expect(across.startsWith("he\x1b[7ml")).toBe(true);
    expect(across.endsWith("o\x1b[27m!")).toBe(true);
    expect(clipLine("hello", { left: 0, width: 4, highlight })).toBe("hel\x1b[7ml\x1b[27m");
  });

  test("matches side by side are one stretch", () => {
    expect(clipLine("lolo", { left: 0, width: 80, highlight })).toBe("\x1b[7mlolo\x1b[27m");
  });
});

test("whatever is in a line, it fits and holds nothing but text, colours and links", () => {
  const pieces = [
    "a",
    "日",
    "👨‍👩‍👧",
    "\t",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[2J",
    "\x1b",
    "[",
    "\x1b]8;;http://x\x07",
    "\x1b]8;;\x07",
  ];
  const others = [
    "\x1b]0;t\x07",
    "\x1bP",
    "\x1b\\",
    "\r",
    "\x07",
    "\x9b",
    "e\u0301",
    "m",
    "1;",
    "\x1b[",
    "word ",
  ];
  const all = [...pieces, ...others];
  const [esc, bel] = ["\x1b", "\x07"];
  const style = new RegExp(`${esc}\\[[\\d;:]*m`, "g");
  const link = new RegExp(`${esc}\\]8;[^${bel}${esc}]*(?:${bel}|${esc}\\\\)`, "g");
  let seed = 3;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 3_000; round++) {
    const line = Array.from({ length: random(14) }, () => all[random(all.length)]).join("");
    const options = { left: random(6), width: 1 + random(12), highlight: { text: "a", isExact: false } };
    const clipped = clipLine(line, options);
    expect(Bun.stringWidth(clipped)).toBeLessThanOrEqual(options.width);
    const plain = clipped.replaceAll(style, "").replaceAll(link, "");
    expect([line, /\p{Cc}/u.test(plain)]).toEqual([line, false]);
  }
});
