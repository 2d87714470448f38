/** Sessions with a kill in the middle that go back to an earlier prompt, by seed: `npm run bench -- rewind-kills [count] [first seed]`. What fails names its seed. */

import { resolve } from "node:path";
import { runRewindKill } from "../test/rewind/kills.ts";
import { Report } from "./report.ts";
import { runSeeds } from "./seeded-runs.ts";

const [count = "100", first = "1"] = process.argv.slice(2);
const venv = resolve(import.meta.dir, "../.venv");
const LIMIT_MS = 60_000;

const report = new Report("rewind-kills");
const broken = await runSeeds({ count: Number(count), first: Number(first) }, async (seed, directory) => {
  const { victim, isStruck, problems } = await runRewindKill(seed, { directory, venv, limitMs: LIMIT_MS });
  return { what: isStruck ? `killed: ${victim}` : `over before: ${victim}`, problems };
});
report.limit(`of ${count} sessions with a kill, those that left something or restored something wrong`, {
  value: broken,
  limit: 0,
  unit: "sessions",
});
process.exitCode = report.print();
