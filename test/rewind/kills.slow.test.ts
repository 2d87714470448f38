/** A few of the sessions of `npm run bench -- rewind-kills`: three for each thing that can be killed. */

import { expect, test } from "bun:test";
import { temporaryDirectory } from "../support/home.ts";
import { slow, waitLimitMs } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { type RewindVictim, runRewindKill } from "./kills.ts";

const seeds: readonly (readonly [number, RewindVictim])[] = [
  [2, "omp"],
  [10, "omp"],
  [18, "omp"],
  [4, "kernel"],
  [9, "kernel"],
  [12, "kernel"],
  [7, "checkpoint"],
  [11, "checkpoint"],
  [19, "checkpoint"],
];

describeWithPython(testPython, "a session that goes back after a kill", () => {
  for (const [seed, victim] of seeds)
    test(
      `of ${victim}, seed ${seed}: nothing is left, and nothing wrong is restored`,
      async () => {
        const place = { directory: temporaryDirectory(), venv: testPython.venv, limitMs: waitLimitMs() };
        expect(await runRewindKill(seed, place)).toMatchObject({ victim, problems: [] });
      },
      slow(60, "runs omp several times with a kernel, and kills one of them"),
    );
});
