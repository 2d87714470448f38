/**
 * `npm test`: set-up, type check, lint and format check, every test; the last line is `N passed, N failed, N skipped`, where each check
 * counts as one. `npm test -- <patterns>` runs only the test files that match, and no checks; `npm test -- --quick` runs the checks and
 * the unit tests (see lib/quick.mjs).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { places, root } from "./lib/checkout.mjs";
import { quickFlags } from "./lib/quick.mjs";
import { runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";
import { tallyTests } from "./lib/tally.mjs";
import { loadFactor, TEST_LIMIT_MS } from "./lib/test-limits.mjs";

/** Each file runs in a fresh worker: one that crashes or exits early is counted, which a single process cannot do for itself. */
const WORKERS = 2;
const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
const patterns = args.filter((arg) => arg !== "--quick");
const total = { passed: 0, failed: 0, skipped: 0 };
const problems = [];
const { bun, modules, state } = places(root);
const binary = (name) => join(modules, ".bin", name);

try {
  const machine = { load: loadavg()[0], cores: availableParallelism(), workers: WORKERS };
  const factor = loadFactor(process.env, machine);
  await setUp({ checkout: root, env: process.env, cwd: root, needs: ["bundle", "tests"] });
  if (patterns.length === 0) {
    await check("type check", [binary("tsc"), "--noEmit"]);
    await check("lint and format check", [binary("biome"), "check"]);
  }
  await runTests(factor);
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

async function runTests(factor) {
  const limitMs = TEST_LIMIT_MS * factor;
  process.stdout.write(`tests (load factor ${factor}: at most ${limitMs / 1000} s each, unless slow) …\n`);
  const directory = mkdtempSync(join(tmpdir(), "omp-test-results-"));
  try {
    const file = join(directory, "junit.xml");
    const argv = [
      bun,
      "test",
      `--parallel=${WORKERS}`,
      `--timeout=${limitMs}`,
      // Files that took long last time start first, so that both workers finish together.
      `--timings=${join(state, "test-timings.json")}`,
      "--update-timings",
      "--reporter=junit",
      `--reporter-outfile=${file}`,
      ...(isQuick ? quickFlags : []),
      ...patterns,
    ];
    const counts = tallyTests(file, await runInherited(argv, { cwd: root, env: testEnvironment(factor) }));
    for (const outcome of /** @type {const} */ (["passed", "failed", "skipped"]))
      total[outcome] += counts[outcome];
    problems.push(...counts.problems);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** As for a user who has set nothing: variables that change what omp does are for the tests to set. */
function testEnvironment(factor) {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (/^(PI_|OMP_)/.test(name)) delete env[name];
  return {
    ...env,
    NODE_ENV: "test",
    OMP_TEST_LOAD: String(factor),
    ...(isQuick ? { OMP_TEST_QUICK: "1" } : {}),
  };
}
