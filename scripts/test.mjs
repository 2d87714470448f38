/**
 * `npm test`: set-up, type check, lint and format check, every test; the last line is `N passed, N failed, N skipped`, where each check
 * counts as one. `npm test -- <patterns>` runs only the test files that match, and no checks; `npm test -- --quick` runs the checks and
 * the unit tests (see lib/quick.mjs).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBunTest } from "./lib/bun-test.mjs";
import { checkoutPaths, root } from "./lib/checkout.mjs";
import { createFailures } from "./lib/failures.mjs";
import { quickFlags } from "./lib/quick.mjs";
import { runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";
import { tallyTests } from "./lib/tally.mjs";

const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
const patterns = args.filter((arg) => arg !== "--quick");
const total = { passed: 0, failed: 0, skipped: 0 };
const problems = [];
const failures = createFailures();
// Until everything is counted: a run that ends too early must not look green.
process.exitCode = 1;
const { modules } = checkoutPaths(root);
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
  problems.push("with CI=true no test may be skipped");
}
if (failures.reports.length > 0) process.stdout.write(`\nwhat failed, once more:\n`);
for (const report of failures.reports) process.stdout.write(`\n${report}\n`);
for (const problem of problems) process.stdout.write(`failed: ${problem}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : process.exitCode;

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
  const directory = mkdtempSync(join(tmpdir(), "omp-test-results-"));
  try {
    const file = join(directory, "junit.xml");
    const end = await runBunTest({
      // At a terminal bun writes colours, and a person scrolls up.
      onError: process.stderr.isTTY ? undefined : failures.add,
      flags: ["--reporter=junit", `--reporter-outfile=${file}`, ...(isQuick ? quickFlags : [])],
      patterns,
      env: isQuick ? { OMP_TEST_QUICK: "1" } : {},
    });
    const counts = tallyTests(file, end);
    for (const outcome of /** @type {const} */ (["passed", "failed", "skipped"]))
      total[outcome] += counts[outcome];
    problems.push(...counts.problems);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
