/** Cells that reach for everything, and a kill in the middle, by seed: `npm run bench -- kills [count] [first seed]`. What fails names its seed. */

import { resolve } from "node:path";
import { runKill } from "../test/faults/kills.ts";
import { Report } from "./report.ts";
import { runSeeds } from "./seeded-runs.ts";

const [count = "200", first = "1"] = process.argv.slice(2);
const venv = resolve(import.meta.dir, "../.venv");
const LIMIT_MS = 90_000;

const report = new Report("kills");
const broken = await runSeeds({ count: Number(count), first: Number(first) }, async (seed, directory) => {
  const { victim, isStruck, problems } = await runKill(seed, { directory, venv, limitMs: LIMIT_MS });
  return { what: isStruck ? `killed: ${victim}` : `over before: ${victim}`, problems };
});
report.limit(`of ${count} runs with a kill, those that hung, left something, or lost the end of a call`, {
  value: broken,
  limit: 0,
  unit: "runs",
});
process.exitCode = report.print();
