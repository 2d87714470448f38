/** A few of the random programs of `npm run bench -- time`. */

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { localKernels } from "../support/kernels.ts";
import { slow } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { runProgram } from "./copied-programs.ts";

describeWithPython(testPython, "copies of a kernel that ran a random program", () => {
  test(
    "change nothing in it, and hold what it held, or had said what they would not",
    async () => {
      const { kernels, home } = localKernels({ useForkServer: true, forksFirst: true });
      for (const seed of [1, 79, 83]) {
        const directory = join(home, String(seed));
        mkdirSync(directory);
        expect({ seed, ...(await runProgram(seed, kernels, directory)) }).toMatchObject({
          seed,
          problems: [],
        });
      }
    },
    slow(60, "runs three programs in four kernels each"),
  );
});
