/**
 * `npm test`: set-up, type check, lint and format check, every test; the last line is `N passed, N failed, N skipped`, where
 * each check counts as one. `npm test -- <patterns>` runs only the test files that match, and no checks.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { places, root } from "./lib/checkout.mjs";
import { runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";
import { tallyTests } from "./lib/tally.mjs";

/** Real kernels, pip and gateways on a busy machine: the limit is there for what hangs. */
const testTimeoutMs = 180_000;
/** Each file in a fresh worker: one that dies or ends early is counted, which a single process cannot do for itself. */
const workers = 2;
const patterns = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const problems = [];
const { bun, modules } = places(root);
const binary = (name) => join(modules, ".bin", name);

try {
  await setUp({ checkout: root, env: process.env, cwd: root, needs: ["bundle", "tests"] });
  if (patterns.length === 0) {
    await check("type check", [binary("tsc"), "--noEmit"]);
    await check("lint and format check", [binary("biome"), "check"]);
  }
  await runTests();
} catch (error) {
  total.failed += 1;
  problems.push(error instanceof Error ? error.message : String(error));
  try {
    report(error);
  } catch (bug) {
    console.error(bug);
  }
}

if (process.env["CI"] === "true" && total.skipped > 0) {
  total.failed += 1;
  problems.push("with CI=true nothing may be skipped");
}
for (const problem of problems) process.stdout.write(`failed: ${problem}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : process.exitCode || 1;

async function check(name, argv) {
  process.stdout.write(`${name} …\n`);
  const { exitCode } = await runInherited(argv, { cwd: root });
  if (exitCode === 0) total.passed += 1;
  else {
    total.failed += 1;
    problems.push(name);
  }
}

async function runTests() {
  process.stdout.write("tests …\n");
  const directory = mkdtempSync(join(tmpdir(), "omp-test-results-"));
  try {
    const file = join(directory, "junit.xml");
    const reporter = ["--reporter=junit", `--reporter-outfile=${file}`];
    // As a user who has set nothing would run it: variables that change what omp does are the tests' to set.
    const env = { ...process.env, NODE_ENV: "test" };
    for (const name of Object.keys(env)) if (/^(PI_|OMP_)/.test(name)) delete env[name];
    const argv = [
      bun,
      "test",
      `--parallel=${workers}`,
      `--timeout=${testTimeoutMs}`,
      ...reporter,
      ...patterns,
    ];
    const counts = tallyTests(file, await runInherited(argv, { cwd: root, env }));
    for (const outcome of /** @type {const} */ (["passed", "failed", "skipped"]))
      total[outcome] += counts[outcome];
    problems.push(...counts.problems);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
