/** A few of the sessions that `npm run bench -- rewind` runs by the hundred. */

import { describe, expect, test } from "bun:test";
import { temporaryDirectory } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { runRandomSession } from "./random-session.ts";

describe("a session that is taken back to a random prompt has the files and the shell of that moment", () => {
  test.each([101, 102, 103])("seed %d", async (seed) => {
    expect(await runRandomSession(seed, { directory: temporaryDirectory(), venv: undefined })).toEqual([]);
  });
});

describeWithPython(testPython, "and the variables of that moment", () => {
  test.each([201, 202, 203])("seed %d", async (seed) => {
    expect(await runRandomSession(seed, { directory: temporaryDirectory(), venv: testPython.venv })).toEqual(
      [],
    );
  });
});
