/** Branches of the live kernel, from calls and from cells: one omp, one batch of calls. */

import { expect, test } from "bun:test";
import { asRecord } from "../../src/protocol/record.ts";
import { temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const calls = [
  { cells: [{ code: "x = 1\nclass Point:\n    pass" }] },
  { branch: "try-2", cells: [{ code: "x += 41\nx" }] },
  { branch: "try-2", cells: [{ code: "x" }] },
  {
    cells: [
      { code: "x, omp.branch('try-2').get('x'), omp.branch('try-2').get('Point()').__class__ is Point" },
    ],
  },
  // A new one, in the middle of a cell, has what the cell has done so far.
  { cells: [{ code: "y = 5\nthree = omp.branch('three')\nprint(three.run('y *= 2; (x, y)'))\ny" }] },
  { cells: [{ code: "three.run('import threading; lock = threading.Lock()')\nthree.get('lock')" }] },
  {
    cells: [
      {
        code: "try: three.run('1/0')\nexcept omp.ToolError as e: print(e.text.count('Traceback'), e.text.splitlines()[-1])",
      },
    ],
  },
  { cells: [{ code: "omp.branch('try-2').drop()\nthree.keep()\ny" }] },
  { cells: [{ code: "x, y, Out[2]" }] },
  { branch: "try-2", cells: [{ code: "import os; os._exit(3)" }] },
  { branch: "try-2", cells: [{ code: "y" }] },
  { branch: "try-2", reset: true, cells: [{ code: "y" }] },
  { cells: [{ code: "five = omp.branch('five')\nfive.keep()\nfive.drop()\ny" }] },
  { cells: [{ code: "y" }] },
  { cells: [{ code: "y" }] },
  {
    cells: [
      {
        code: "print(omp.branch('six').run('try:\\n    1 / 0\\nexcept Exception as error:\\n    print(error.__context__)'))",
      },
    ],
  },
];

describeWithPython(testPython, "branches", () => {
  test("go their own way; values come back, one is kept, others are dropped", async () => {
    const place = temporaryPlace();
    const stdin = calls.map((input, id) => JSON.stringify({ id, name: "python", input })).join("\n");
    const { stdout, exitCode } = await omp(["tool", "--batch"], {
      place,
      stdin,
      env: { VIRTUAL_ENV: testPython.venv },
    });
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => asRecord(JSON.parse(line)));
    const outputs = results.map(({ output }) => String(output));
    expect(outputs.slice(1, 5)).toEqual([
      "[The branch try-2 is new: a copy of the kernel as it is now]\n42",
      "[Branch try-2]\n42",
      "(1, 42, True)",
      "[Branch three]\n(1, 10)\n5",
    ]);
    expect(outputs[5]).toContain(
      "omp.branch('three').get('lock'): TypeError: lock is a lock, which cannot be passed on",
    );
    // Nothing of how the copy came to be is in its errors.
    expect(outputs[6]).toBe("1 ZeroDivisionError: division by zero");
    expect(outputs.slice(7, 9)).toEqual(["5", "(1, 10, (1, 42, True))"]);
    expect(outputs[9]).toContain("[The kernel died: exited with code 3.]");
    expect(outputs[10]).toBe(
      "[The branch try-2 had ended: exited with code 3. What it held is gone]\n[The branch try-2 is new: a copy of the kernel as it is now]\n10",
    );
    expect(outputs[11]).toContain("reset is not possible in a branch");
    // Asked for by a cell that had ended when it failed.
    expect(outputs.slice(12)).toEqual([
      "10",
      "[The branch five was not kept: the branch five has ended. The session's kernel is the one before]\n10",
      "10",
      "[Branch six]\nNone",
    ]);
    expect(asRecord(results[2]?.["details"])["branch"]).toBe("try-2");
    expect(exitCode).toBe(1);
  });
});
