/**
 * How fast omp starts: `bin/omp --version` and `dist/omp --version` compared with `bun -e 0`, the fastest possible start of any
 * program on Bun. They take turns in one run.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { median, Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const ROUNDS = 20;
const bun = process.execPath;
const launcher = join(root, "bin", "omp");
const program = join(root, "dist", "omp");

async function runTime(argv: readonly string[]): Promise<number> {
  const before = performance.now();
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} ended with exit code ${exitCode}`);
  return performance.now() - before;
}

const main = await buildBundle(root);
await runTime([bun, join(root, "scripts", "build.ts")]);
const contenders = [
  [bun, "-e", "0"],
  [launcher, "--version"],
  [launcher, "--help"],
  [program, "--version"],
] as const;
const times: number[][] = contenders.map(() => []);
// The first round warms caches and is not counted.
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [index, argv] of contenders.entries()) {
    const ms = await runTime(argv);
    if (round > 0) times[index]?.push(ms);
  }
}

const [bare = Number.NaN, version = Number.NaN, help = Number.NaN, single = Number.NaN] = times.map(median);
const report = new Report(`start, median of ${ROUNDS}`);
const peer = { peer: bare, peerName: "bun -e 0", unit: "ms" };
report.atMost("bin/omp --version", { ...peer, ours: version, factor: 3 });
report.atMost("dist/omp --version", { ...peer, ours: single, factor: 1.5 });
report.note("bin/omp --help", `${help.toFixed(1)} ms = ${(help / bare).toFixed(2)} × bun -e 0`);
// Everything else is in chunks that are loaded when a command needs them.
report.limit("the part of the bundle that every start loads", {
  value: readFileSync(main).byteLength / 1000,
  limit: 5,
  unit: "KB",
});
process.exitCode = report.print();
