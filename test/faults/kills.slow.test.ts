/** A few of the runs of `npm run bench -- kills`: two for each thing that can be killed. */

import { expect, test } from "bun:test";
import { temporaryDirectory } from "../support/home.ts";
import { slow, waitLimitMs } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { runKill, type Victim } from "./kills.ts";

const seeds: readonly (readonly [number, Victim])[] = [
  [1, "omp"],
  [5, "omp"],
  [2, "kernel"],
  [6, "kernel"],
  [3, "subagent's kernel"],
  [7, "subagent's kernel"],
  [4, "subagent's shell"],
  [8, "subagent's shell"],
  [12, "MCP server"],
  [16, "MCP server"],
];

describeWithPython(testPython, "cells that reach for everything", () => {
  for (const [seed, victim] of seeds)
    test(
      `${victim}, seed ${seed}: nothing hangs, nothing is left, every call has its end`,
      async () => {
        const place = { directory: temporaryDirectory(), venv: testPython.venv, limitMs: waitLimitMs() };
        expect(await runKill(seed, place)).toMatchObject({ victim, problems: [] });
      },
      slow(60, "starts omp with kernels, a server and subagents, and kills one of them"),
    );
});
