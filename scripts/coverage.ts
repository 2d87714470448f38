/**
 * `npm run coverage [-- <patterns>]`: how many lines of src the tests run, as Bun counts them. The last line is the total.
 *
 * Bun counts lines in the process of the test only. What runs in an omp that a test starts (`bin/omp`) is not counted, so the
 * end-to-end tests, which do nothing else, are left out, and the figure is lower than the truth.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runBunTest } from "./lib/bun-test.mjs";
import { coverageReport } from "./lib/coverage-report.ts";
import { setUp } from "./lib/set-up.mjs";

const root = resolve(import.meta.dir, "..");
const directory = mkdtempSync(join(tmpdir(), "omp-coverage-"));
try {
  await setUp({ checkout: root, env: process.env, cwd: root, needs: ["bundle", "tests"] });
  const { exitCode } = await runBunTest({
    flags: [
      "--coverage",
      "--coverage-reporter=lcov",
      `--coverage-dir=${directory}`,
      "--path-ignore-patterns=test/e2e/**",
      "--only-failures",
    ],
    patterns: process.argv.slice(2),
  });
  process.exitCode = exitCode;
  process.stdout.write(coverageReport(readFileSync(join(directory, "lcov.info"), "utf8"), sources()));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Every source file with its text: Bun says nothing about those that no test loads. */
function sources(): { file: string; text: string }[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file: `src/${file}`, text: readFileSync(join(root, "src", file), "utf8") }));
}
