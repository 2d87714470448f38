import { expect, test } from "bun:test";
import { count, formatDollars, formatSize, formatTokens, groupDigits } from "../../src/format/numbers.ts";

test("digits are grouped in threes, before the point only", () => {
  expect([0, 999, 1_000, 1_234_567, -45_000, 1234.5678, 0.125].map(groupDigits)).toEqual([
    "0",
    "999",
    "1,000",
    "1,234,567",
    "-45,000",
    "1,234.5678",
    "0.125",
  ]);
});

test("a count has its noun in the right number", () => {
  expect([count(0, "line"), count(1, "line"), count(1_200, "line"), count(2, "match", "matches")]).toEqual([
    "0 lines",
    "1 line",
    "1,200 lines",
    "2 matches",
  ]);
});

test("tokens are rounded to thousands and millions", () => {
  expect([950, 9_500, 200_000, 1_000_000, 1_047_576].map(formatTokens)).toEqual([
    "950",
    "9.5k",
    "200k",
    "1M",
    "1.05M",
  ]);
});

test("small prices have a digit more", () => {
  expect([0.0123, 0.5, 1.5, 12].map(formatDollars)).toEqual(["$0.012", "$0.500", "$1.50", "$12.00"]);
});

test("sizes are in powers of 1000", () => {
  expect([0, 999, 1_000, 12_300, 9_500_000, 2e9, 3e12].map(formatSize)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "12 kB",
    "9.5 MB",
    "2.0 GB",
    "3.0 TB",
  ]);
});
