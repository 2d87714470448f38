/** Counts the results of a test run from the JUnit file that `bun test` writes. Anything unexpected in it counts as a failure. */

import { readFileSync } from "node:fs";

/**
 * @param {string} file
 * @param {{ exitCode: number, signal: string | null }} end how the runner ended
 * @returns {{ passed: number, failed: number, skipped: number, problems: string[] }}
 */
export function tallyTests(file, { exitCode, signal }) {
  const problems = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const totals = readTotals(file);
  if (totals === undefined) {
    problems.push("the test runner left no results");
  } else {
    counts.failed = totals.failures + totals.errors;
    counts.skipped = totals.skipped;
    counts.passed = totals.tests - counts.failed - counts.skipped;
    if (totals.tests === 0) problems.push("no tests ran");
    if (counts.passed < 0) problems.push("the test runner's counts make no sense");
  }
  if (signal !== null) problems.push(`the test runner was ended by ${signal}`);
  else if (exitCode !== 0 && counts.failed === 0 && problems.length === 0) {
    problems.push(`the test runner ended with exit code ${exitCode} and no failed test`);
  }
  return { ...counts, passed: Math.max(0, counts.passed), failed: counts.failed + problems.length, problems };
}

function readTotals(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
  const root = /<testsuites\s([^>]*)>/.exec(text)?.[1];
  // A runner that died while writing left the end out.
  if (root === undefined || !text.trimEnd().endsWith("</testsuites>")) return undefined;
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  return {
    tests: number("tests"),
    failures: number("failures"),
    errors: number("errors"),
    skipped: number("skipped"),
  };
}
