/** What `npm test` makes of the runner's report: the count, and what failed tests said. */

import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFailures } from "../../scripts/lib/failures.mjs";
import { tallyTests } from "../../scripts/lib/tally.mjs";
import { temporaryDirectory } from "../support/home.ts";

test("what failed tests said is told once more at the end", () => {
  const failures = createFailures();
  failures.add("a.test.ts:\n(pass) one\nerror: expected 1\n  at a.te");
  failures.add("st.ts:3\n(fail) two [1ms]\n(pass) three\n\n1 tests failed:\n(fail) two [1ms]\n");
  expect(failures.reports).toEqual(["error: expected 1\n  at a.test.ts:3\n(fail) two [1ms]"]);
});

describe("the count of tests", () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  const ended = { exitCode: 0, signal: null };
  const junit = (attributes: string, end = "</testsuites>") => {
    const file = join(directory, "junit.xml");
    writeFileSync(file, `<?xml version="1.0"?>\n<testsuites name="bun test" ${attributes}>\n${end}\n`);
    return file;
  };

  test("comes from the runner's report", () => {
    const file = junit('tests="10" assertions="20" failures="2" skipped="1" time="0.5"');
    expect(tallyTests(file, { exitCode: 1, signal: null })).toEqual({
      passed: 7,
      failed: 2,
      skipped: 1,
      problems: [],
    });
  });

  test("a runner that crashed is never green", () => {
    const all = 'tests="5" failures="0" skipped="0"';
    expect(tallyTests(join(directory, "absent.xml"), ended)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      problems: ["the test runner left no results"],
    });
    expect(tallyTests(junit(all, ""), ended).problems).toEqual(["the test runner left no results"]);
    expect(tallyTests(junit('tests="0" failures="0" skipped="0"'), ended).problems).toEqual(["no tests ran"]);
    expect(tallyTests(junit(all), { exitCode: 1, signal: null })).toEqual({
      passed: 5,
      failed: 1,
      skipped: 0,
      problems: ["the test runner ended with exit code 1 and no failed test"],
    });
    expect(tallyTests(junit(all), { exitCode: 139, signal: "SIGSEGV" }).failed).toBe(1);
  });
});
