import { expect, test } from "bun:test";
import { editDistance, nearestName } from "../../src/format/nearest.ts";

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["same", "same", 0],
  ["kitten", "sitting", 3],
  ["from", "form", 1],
  ["ab", "ba", 1],
])("from %p to %p it is %p edits", (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
});

const names = ["python", "tools", "python.toolMode", "python.kernelMode", "tools.enable"];

test.each([
  ["python.toolmod", "python.toolMode"],
  ["PYTHON.TOOLMODE", "python.toolMode"],
  ["pyton.kernelMode", "python.kernelMode"],
  ["toolMode", "python.toolMode"],
  ["enabled", "tools.enable"],
  ["phyton", "python"],
  ["tool", "tools"],
  ["", undefined],
  ["completely.different", undefined],
  ["x".repeat(100_000), undefined],
])("%p is nearest to %p", (written, nearest) => {
  expect(nearestName(written, names)).toBe(nearest);
});
