/** A gigabyte through the sink: memory stays, the tail is exact, the artifact has every byte. */

import { expect, test } from "bun:test";
import { createReadStream, rmSync } from "node:fs";
import { join } from "node:path";
import type { CapturedOutput } from "../../src/output/sink.ts";
import { temporaryDirectory } from "../support/home.ts";
import { slow } from "../support/limits.ts";

const chunks = 15_625;
const lines = chunks * 1024;

interface Report {
  readonly captured: CapturedOutput;
  readonly sha1: string;
  readonly grownMb: number;
}

async function sha1Of(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha1");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
    hasher.update(chunk as Buffer);
  return hasher.digest("hex");
}

test(
  "a gigabyte of output costs less than 32 MB of memory and loses nothing",
  async () => {
    const directory = temporaryDirectory();
    const fixture = join(import.meta.dir, "fixtures/flood.ts");
    const child = Bun.spawn([process.execPath, fixture, directory, String(chunks)], { stdout: "pipe" });
    const report = (await new Response(child.stdout).json()) as Report;
    expect(await child.exited).toBe(0);

    const { artifact = "" } = report.captured;
    // 30,000 characters hold 468 whole lines of 64.
    const tail = Array.from(
      { length: 468 },
      (_, at) => `${String(lines - 467 + at).padStart(63, ".")}\n`,
    ).join("");
    expect(report.captured).toEqual({
      text: tail,
      notice: `[output cut: showing the last 468 of 16,000,000 lines, 29,952 characters of 1,024,000,000 bytes; full output: artifact://${artifact}]`,
      truncated: true,
      totalBytes: 1_024_000_000,
      totalLines: lines,
      artifact,
      binary: false,
    });
    const path = join(directory, `${artifact}.log`);
    expect(await sha1Of(path)).toBe(report.sha1);
    // A gigabyte is not left lying about until the directory goes.
    rmSync(path);
    expect(report.grownMb).toBeLessThan(32);
  },
  slow(60, "a gigabyte of output"),
);
