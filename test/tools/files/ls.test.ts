import { beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { shortSize } from "../../../src/tools/files/ls.ts";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

const ls = (input: unknown = {}) => place.run("ls", input);

test("entries are sorted, with what they are and how large", async () => {
  place.put("b.txt", "x".repeat(5000));
  place.put(".env", "x");
  place.put("src/a.ts", "");
  symlinkSync("b.txt", join(place.project, "link"));
  symlinkSync("nowhere", join(place.project, "broken"));
  execFileSync("mkfifo", [join(place.project, "pipe")]);
  expect(await ls()).toEqual({
    isError: false,
    output: ".env 1B\nb.txt 4.9K\nbroken -> nowhere\nlink -> b.txt\npipe (special)\nsrc/",
    details: { path: place.project, entries: 6, truncated: false },
  });
  expect((await ls({ path: "src" })).output).toBe("a.ts 0B");
});

test("an empty directory is said to be empty", async () => {
  mkdirSync(join(place.project, "empty"));
  expect((await ls({ path: "empty" })).output).toBe("(empty directory)");
});

test("ten thousand entries are counted, and the first are shown", async () => {
  for (let index = 0; index < 10_000; index++) place.put(`f${String(index).padStart(5, "0")}`, "");
  const { output, details } = await ls();
  expect(output.split("\n").length).toBe(501);
  expect(output).toEndWith("\nf00499 0B\n[showing 500 of 10,000 entries; raise limit to see more]");
  expect(details).toMatchObject({ entries: 10_000, truncated: true });
  expect((await ls({ limit: 1 })).output).toStartWith("f00000 0B\n[showing 1 of 10,000");
});

test.each([
  [{ path: "file.txt" }, "ls: 'file.txt' is a file: use read (ENOTDIR)"],
  [{ path: "flie.txt" }, "ls: no such file or directory 'flie.txt'; did you mean 'file.txt'? (ENOENT)"],
  [{ path: "file.txt/x" }, "ls: a part of the path 'file.txt/x' is a file, not a directory (ENOTDIR)"],
  [{ limit: 0 }, "ls: field 'limit' must be a whole number of at least 1 (INVALID_INPUT)"],
])("%j is refused in one line", async (input, line) => {
  place.put("file.txt", "");
  expect(await ls(input)).toMatchObject({ isError: true, output: line });
});

test("names that would take more than 30,000 characters are counted, too", async () => {
  for (let index = 0; index < 300; index++)
    place.put(`${String(index).padStart(3, "0")}${"n".repeat(190)}`, "");
  const { output } = await ls();
  expect(output.length).toBeLessThan(30_200);
  expect(output).toMatch(/\n\[showing \d+ of 300 entries; the output is full: use find\]$/);
});

test.each([
  [0, "0B"],
  [999, "999B"],
  [1000, "1.0K"],
  [1536, "1.5K"],
  [10_240, "10K"],
  [1_048_576, "1.0M"],
  [5_000_000_000, "4.7G"],
])("%d bytes are %s", (bytes, expected) => {
  expect(shortSize(bytes)).toBe(expected);
});
