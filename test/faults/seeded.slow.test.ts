/** A few of the runs of `npm run bench -- faults`: one for each thing that can be killed, with shells only and with a kernel. */

import { describe, expect, test } from "bun:test";
import { temporaryDirectory } from "../support/home.ts";
import { slow, waitLimitMs } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { type Fault, runFault } from "./seeded.ts";

function testSeeds(seeds: Readonly<Record<number, Fault>>, venv: string | undefined): void {
  for (const [seed, fault] of Object.entries(seeds)) {
    test(
      `${fault}, seed ${seed}: nothing left, nothing run twice, nothing lost`,
      async () => {
        const place = { directory: temporaryDirectory(), venv, limitMs: waitLimitMs() };
        expect(await runFault(Number(seed), place)).toEqual({ fault, problems: [] });
      },
      slow(60, "starts omp twice, with kernels"),
    );
  }
}

describe("with shells", () => testSeeds({ 24: "shell", 41: "omp and watchdog" }, undefined));

describeWithPython(testPython, "with a kernel", () =>
  testSeeds({ 4: "kernel", 57: "omp and watchdog" }, testPython.venv),
);
