import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/home.ts";
import { slow } from "../support/limits.ts";

test(
  "a gigabyte of output takes little memory, and its end is exact",
  async () => {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "fixtures/large-output.ts"), temporaryDirectory()],
      {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const { grown, tail, length, ...facts } = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    expect(facts).toEqual({ totalBytes: 1_000_000_079, totalLines: 15_625_003, truncated: true });
    expect(grown).toBeLessThan(96_000_000);
    expect(length).toBeLessThan(31_000);
    expect(tail).toContain(`${"x".repeat(10)}\nthe end\nreally\n${"0".repeat(62)}7\n[`);
  },
  slow(60, "a gigabyte of output"),
);
