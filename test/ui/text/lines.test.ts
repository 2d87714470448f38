import { describe, expect, test } from "bun:test";
import { clip, MAX_LINE_CHARS, widthOf, wrap } from "../../../src/ui/text/lines.ts";

describe("clip", () => {
  test("is never wider than it may be, whatever stands at the edge", () => {
    const lines = [
      "日本語日本語",
      "a日本語日本語",
      "👩‍👩‍👧‍👦x👩‍👩‍👧‍👦",
      "\x1b[31m日本\x1b[39m語日本語",
      "e\u0301日e\u0301日",
    ];
    for (const line of lines)
      for (const more of ["…", "..."])
        for (let width = 0; width < 16; width++)
          expect({ line, width, isWide: widthOf(clip(line, width, more)) > width }).toEqual({
            line,
            width,
            isWide: false,
          });
  });

  test("leaves what fits, and says what it cut", () => {
    expect(clip("日本語", 6)).toBe("日本語");
    expect(clip("日本語", 5)).toBe("日本…");
    expect(clip("日本語", 4)).toBe("日…");
    expect(clip("plain", 4)).toBe("pla…");
    expect(clip("plain", 4, "...")).toBe("p...");
    expect(clip("plain", 2, "...")).toBe("..");
  });

  test("a line of megabytes is cut at its start, and says so even where that fits", () => {
    expect(clip("x".repeat(5_000_000), 10)).toBe("xxxxxxxxx…");
    expect(clip("\u0301".repeat(MAX_LINE_CHARS + 1), 10)).toEndWith("…");
  });
});

test("wrapped lines end at 4,000 characters", () => {
  const rows = wrap("x".repeat(9_000), 100);
  expect(rows.join("")).toMatch(/^x{4000}(?:…|\.\.\.)$/);
});
