/** Files that do not fit into memory, read by a process of their own whose memory can be looked at. */

import { beforeEach, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

const reader = join(import.meta.dir, "read-in-process.ts");

interface Reading {
  readonly output: string;
  readonly grownMb: number;
}

async function readElsewhere(...inputs: Record<string, unknown>[]): Promise<Reading[]> {
  const child = Bun.spawn(
    [process.execPath, reader, place.project, ...inputs.map((input) => JSON.stringify(input))],
    {
      env: { PATH: process.env["PATH"], HOME: place.home },
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(await child.exited).toBe(0);
  return lines.map((line) => JSON.parse(line));
}

test("a range of a 500 MB file is read without the rest of it", async () => {
  const file = openSync(join(place.project, "big.log"), "w");
  const line = (index: number) => `${String(index).padStart(7, "0")} ${"x".repeat(91)}\n`;
  // Five megabytes of text, then a hole that takes no room on the disk.
  writeSync(file, Array.from({ length: 50_000 }, (_, index) => line(index + 1)).join(""));
  ftruncateSync(file, 500_000_000);
  closeSync(file);
  const [start, middle, hole] = await readElsewhere(
    { path: "big.log", limit: 2 },
    { path: "big.log", offset: 49_999, limit: 2 },
    { path: "big.log", offset: 50_001 },
  );
  const text = (index: number) => `${index}|${line(index).trimEnd()}`;
  expect(start?.output).toBe(
    `${text(1)}\n${text(2)}\n[lines 1-2 of more than 50,000; continue with offset 3]`,
  );
  expect(middle?.output).toBe(
    `${text(49_999)}\n${text(50_000)}\n[lines 49999-50000 of more than 50,000; continue with offset 50001]`,
  );
  // One line of 495 million NULs.
  expect(hole?.output).toBe(`50001|${"␀".repeat(2000)}… [494,998,000 more bytes in this line]`);
  for (const reading of [start, middle, hole]) expect(reading?.grownMb).toBeLessThan(64);
});

test("the end of a file with two million lines is read with its numbers", async () => {
  const file = openSync(join(place.project, "long.txt"), "w");
  const piece = "0123456789abcdef\n".repeat(100_000);
  for (let index = 0; index < 20; index++) writeSync(file, piece);
  closeSync(file);
  const [end] = await readElsewhere({ path: "long.txt", offset: -1 });
  expect(end?.output).toBe("2000000|0123456789abcdef");
  expect(end?.grownMb).toBeLessThan(64);
});
