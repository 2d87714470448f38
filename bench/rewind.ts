/**
 * Sessions by seed that are taken back to a random prompt, and what keeping files costs: `npm run bench -- rewind [count] [first seed]`.
 * What fails names its seed.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Worktree } from "../src/worktree/worktree.ts";
import { runRandomSession } from "../test/rewind/random-session.ts";
import { Report } from "./report.ts";
import { runSeeds } from "./seeded-runs.ts";

const [count = "100", first = "1"] = process.argv.slice(2);
const venv = resolve(import.meta.dir, "../.venv");
const report = new Report("rewind");

const FILES = 5_000;
const TIMES = 21;
const unchangedMs = await measureUnchanged();
report.limit(`a look at ${FILES} unchanged files, median of ${TIMES}`, {
  value: unchangedMs,
  limit: 30,
  unit: "ms",
});
const broken = await runSeeds({ count: Number(count), first: Number(first) }, async (seed, directory) => ({
  what: "files, commands and cells",
  problems: await runRandomSession(seed, { directory, venv }),
}));
report.limit(`of ${count} sessions, those that a rewind or its undo did not bring back`, {
  value: broken,
  limit: 0,
  unit: "sessions",
});
process.exitCode = report.print();

async function measureUnchanged(): Promise<number> {
  const base = mkdtempSync(join(tmpdir(), "omp-rewind-"));
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(home);
  for (let at = 0; at < FILES; at += 1) {
    const directory = join(root, `d${at % 100}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `f${at}.txt`), `file ${at}\n`.repeat(1 + (at % 50)));
  }
  const limits = {
    maxFileBytes: 1e7,
    maxTotalBytes: 2e9,
    maxAgeMs: 1e9,
    waitMs: 60_000,
    firstLookMs: 60_000,
  };
  const opened = Worktree.open({
    root,
    home,
    store: join(home, "files"),
    env: { PATH: process.env["PATH"] },
    limits,
  });
  if ("off" in opened) throw new Error(opened.off);
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let round = 0; round <= TIMES; round += 1) {
    const startedAt = performance.now();
    await opened.take(signal);
    times.push(performance.now() - startedAt);
  }
  await opened.close();
  rmSync(base, { recursive: true, force: true });
  const [whole = 0, ...later] = times;
  console.log(`  the first look, which reads them all: ${Math.round(whole)} ms`);
  return later.toSorted((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0;
}
