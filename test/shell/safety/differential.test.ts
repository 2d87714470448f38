import { expect, test } from "bun:test";
import { temporaryDirectory } from "../../support/home.ts";
import { TrapDirectory } from "./differential.ts";

test("of 2,000 commands that hide a marker, none that is judged safe runs it or changes a file", async () => {
  const { made, safe, wrong, stuck } = await new TrapDirectory(temporaryDirectory()).judge(1, 2000);
  expect({ made, wrong, stuck }).toEqual({ made: 2000, wrong: [], stuck: [] });
  expect(safe).toBeGreaterThan(150);
});

test("the traps work: what runs the marker, also in the background, and what writes is seen", async () => {
  const directory = new TrapDirectory(temporaryDirectory());
  const commands = [
    "ls",
    "mark",
    "sort -o a.txt b.txt",
    "ls > out",
    "cat a.txt",
    "(mark &)",
    "git -C hostile status",
    "cd bare && git status",
    "ls",
  ];
  expect(await directory.run(commands)).toEqual({
    wrong: [
      "mark",
      "sort -o a.txt b.txt",
      "ls > out",
      "(mark &)",
      "git -C hostile status",
      "cd bare && git status",
    ],
    stuck: [],
  });
});
