import { expect, test } from "bun:test";
import { shortenDisplay } from "../../../src/tools/python/long-display.ts";

test("a long table keeps its column names and both ends, and says where all of it is", () => {
  const rows = Array.from({ length: 5_000 }, (_, row) => `${row}    ${row * 2}`);
  const shown = shortenDisplay(["     a   b", ...rows].join("\n"), "artifact://x") ?? "";
  const lines = shown.split("\n");
  expect(lines.slice(0, 3)).toEqual(["     a   b", "0    0", "1    2"]);
  expect(lines.slice(-2)).toEqual(["4998    9996", "4999    9998"]);
  expect(shown).toContain("[… 4,921 lines left out; all of it: artifact://x …]");
});

test("a wide data frame keeps the column names of each of its blocks", () => {
  const block = (name: string) =>
    [`      ${name}  \\`, ...Array.from({ length: 2_000 }, (_, row) => `${row}  ${name}${row}`)].join("\n");
  const shown = shortenDisplay([block("first"), block("second")].join("\n\n"), undefined) ?? "";
  expect(shown).toContain("      first  \\\n0  first0");
  expect(shown).toContain("      second  \\\n0  second0");
  expect(shown).toContain("1999  first1999\n\n");
  expect(shown.match(/lines left out …\]/g)).toHaveLength(2);
  expect(shown.length).toBeLessThan(10_000);
});

test("one long line keeps its ends, and no character is cut in half", () => {
  const shown = shortenDisplay(`[${"😀".repeat(20_000)}]`, undefined) ?? "";
  expect(shown).toStartWith("[😀");
  expect(shown).toEndWith("😀]");
  expect(shown).toContain("characters left out …]");
  expect(shown.isWellFormed()).toBe(true);
  expect(shown.length).toBeLessThan(9_000);
});

test("what is short enough stays as it is", () => {
  expect(shortenDisplay("a\n".repeat(900), undefined)).toBeUndefined();
});
