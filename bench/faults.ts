/** Runs of omp with a fault in the middle, by seed: `npm run bench -- faults [count] [first seed]`. What fails names its seed. */

import { resolve } from "node:path";
import { runFault } from "../test/faults/seeded.ts";
import { Report } from "./report.ts";
import { runSeeds } from "./seeded-runs.ts";

const [count = "300", first = "1"] = process.argv.slice(2);
const venv = resolve(import.meta.dir, "../.venv");
const LIMIT_MS = 60_000;
/** One in three with a kernel, whose start takes longer than all the rest. */
const KERNEL_EVERY = 3;

const report = new Report("faults");
const broken = await runSeeds({ count: Number(count), first: Number(first) }, async (seed, directory) => {
  const place = { directory, venv: seed % KERNEL_EVERY === 0 ? venv : undefined, limitMs: LIMIT_MS };
  const { fault, problems } = await runFault(seed, place);
  return { what: fault, problems };
});
report.limit(`of ${count} runs with a fault, those with something left, lost or run twice`, {
  value: broken,
  limit: 0,
  unit: "runs",
});
process.exitCode = report.print();
