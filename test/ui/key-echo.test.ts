import { describe, expect, test } from "bun:test";
import { echoText } from "../../src/ui/screen/key-echo.ts";

const status = "~/project";

function prompt(text: string, x: number) {
  return { lines: ["above", `❯ ${text}`, status], cursor: { x: x + 2, y: 1 } };
}

describe("a key that changes only its line", () => {
  test("is written alone at the end of the line", () => {
    expect(echoText(prompt("ab", 2), prompt("abc", 3), 80)).toBe("c");
  });

  test("has its line written again in the middle of it", () => {
    expect(echoText(prompt("ab", 1), prompt("axb", 2), 80)).toBe("\r❯ axb\x1b[K\x1b[5G");
    expect(echoText(prompt("abc", 3), prompt("ab", 2), 80)).toBe("\r❯ ab\x1b[K\x1b[5G");
  });

  test("that only moves the cursor writes no text", () => {
    expect(echoText(prompt("ab", 2), prompt("ab", 1), 80)).toBe("\x1b[4G");
  });

  test("after wide letters counts columns", () => {
    expect(echoText(prompt("日", 2), prompt("日x", 3), 80)).toBe("x");
  });
});

describe("drawn as a whole is", () => {
  test("a frame with another line changed, one line more, or the cursor in another row", () => {
    const before = prompt("ab", 2);
    const after = prompt("abc", 3);
    expect(echoText(before, { ...after, lines: ["above", "❯ abc", "menu"] }, 80)).toBeUndefined();
    expect(echoText(before, { ...after, lines: ["above", "❯ abc", status, ""] }, 80)).toBeUndefined();
    expect(echoText(before, { ...after, cursor: { x: 3, y: 2 } }, 80)).toBeUndefined();
    expect(echoText(before, { ...after, cursor: undefined }, 80)).toBeUndefined();
  });

  test("a line as wide as the screen, of unsure width, or with control characters", () => {
    expect(echoText(prompt("abcdef", 6), prompt("abcdefg", 7), 9)).toBeUndefined();
    expect(echoText(prompt("", 0), prompt("⚠️", 2), 80)).toBeUndefined();
    expect(echoText(prompt("", 0), prompt("a\x07", 1), 80)).toBeUndefined();
  });
});
