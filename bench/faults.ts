/** Runs of omp with a fault in the middle, by seed: `npm run bench -- faults [count] [first seed]`. What fails names its seed. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runFault } from "../test/faults/seeded.ts";
import { Report } from "./report.ts";

const [count = "300", first = "1"] = process.argv.slice(2);
const venv = resolve(import.meta.dir, "../.venv");
const LIMIT_MS = 60_000;
const LANES = 2;
/** One in three with a kernel, whose start takes longer than all the rest. */
const KERNEL_EVERY = 3;

const base = mkdtempSync(join(tmpdir(), "omp-faults-"));
const report = new Report("faults");
let next = Number(first);
const end = next + Number(count);
const broken: string[] = [];

async function lane(): Promise<void> {
  while (next < end) {
    const seed = next;
    next += 1;
    const directory = join(base, String(seed));
    const place = { directory, venv: seed % KERNEL_EVERY === 0 ? venv : undefined, limitMs: LIMIT_MS };
    const { fault, problems } = await runFault(seed, place);
    if (problems.length > 0) broken.push(`seed ${seed} (${fault}): ${problems.join("; ")}`);
    rmSync(directory, { recursive: true, force: true });
  }
}

await Promise.all(Array.from({ length: LANES }, lane));
rmSync(base, { recursive: true, force: true });
for (const line of broken) console.error(line);
report.limit(`of ${count} runs with a fault, those with something left, lost or run twice`, {
  value: broken.length,
  limit: 0,
  unit: "runs",
});
process.exitCode = report.print();
