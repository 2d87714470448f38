/**
 * Our notebooks, cell by cell as nbclient has them. test/notebooks/differences.json lists the cells that differ, each with its reason;
 * one that is not listed fails, and so does one that is listed and equal.
 */

import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/home.ts";
import { slow } from "../support/limits.ts";
import { describeWithPython, olderPythons, type TestPython, testPython } from "../support/python.ts";
import differences from "./differences.json";
import {
  type KernelShare,
  type Notebook,
  type NotebookSetUp,
  type Outcomes,
  readNotebooks,
  runWithNbclient,
  runWithOmp,
  shareKernels,
} from "./notebooks.ts";

interface Difference {
  readonly notebook: string;
  /** From 1. */
  readonly cell: number;
  /** The beginning of the version that it is seen with; with all of them when missing. */
  readonly ipykernel?: string;
  /** The stock kernel does it in one run and not in the next. */
  readonly sometimes?: boolean;
  readonly reason: string;
}

const listed: readonly Difference[] = differences;
const notebooks = readNotebooks();
const shares = shareKernels(notebooks);

test("there are enough of them, and none is there twice", () => {
  expect(notebooks.length).toBeGreaterThanOrEqual(40);
  expect(new Set(notebooks.map(({ cells }) => cells.join("\n"))).size).toBe(notebooks.length);
});

test("every listed difference is of a cell that exists, once, and has a reason", () => {
  const cellOf = ({ notebook, cell }: Difference) =>
    notebooks.find(({ name }) => name === notebook)?.cells[cell - 1];
  expect(listed.filter((each) => cellOf(each) === undefined || each.reason.length < 20)).toEqual([]);
  const keys = listed.map(({ notebook, cell, ipykernel }) => `${notebook} ${cell} ${ipykernel}`);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

/** The cells of a notebook that are listed as different with this kernel, from 1, and whether that is always so. */
function reasonsFor(name: string, { ipykernel: version }: TestPython): Map<number, boolean> {
  const found = listed.filter(
    ({ notebook, ipykernel = version }) => notebook === name && ipykernel === version,
  );
  return new Map(found.map(({ cell, sometimes = false }) => [cell, !sometimes]));
}

/** Packages are those of the tests; matplotlib looks for fonts once. */
function notebookSetUp(): NotebookSetUp {
  const [more] = [
    ...new Bun.Glob("lib/python3*/site-packages").scanSync({ cwd: testPython.venv, onlyFiles: false }),
  ];
  const packages = join(testPython.venv, more ?? "");
  const fonts = temporaryDirectory({ lasts: "file" });
  const code = `import os, sys; sys.path.append(${JSON.stringify(packages)}); os.environ["MPLCONFIGDIR"] = ${JSON.stringify(fonts)}; del os, sys`;
  return { code, packages, fonts };
}

/** What nbclient had with the newest kernels. */
let newest: Outcomes | undefined;

/**
 * Whether a notebook's outcome is not that of nbclient with the newest kernels, or listed as different: then it is compared with
 * nbclient and the same kernel. Others need no kernel more: where omp's is older and gives the same, there is nothing to explain.
 */
function isSpecial({ name }: Notebook, ours: Outcomes, python: TestPython): boolean {
  return reasonsFor(name, python).size > 0 || !Bun.deepEquals(ours.get(name), newest?.get(name));
}

/** The newest kernels, and the newest of those that keep their own streams. */
const pythons = [testPython, ...olderPythons.filter(({ ipykernel }) => ipykernel === "6.28")];

for (const python of pythons) {
  describeWithPython(python, `notebooks with ${python.name}`, () => {
    let ours: Outcomes;
    let theirs: Outcomes;
    beforeAll(
      async () => {
        const setUp = notebookSetUp();
        const ask = (some: readonly KernelShare[]) =>
          runWithNbclient(some, { python, client: testPython, setUp });
        if (newest === undefined) {
          [ours, theirs] = await Promise.all([runWithOmp(shares, python, setUp), ask(shares)]);
          newest = theirs;
        } else {
          ours = await runWithOmp(shares, python, setUp);
          const special = shares.filter((share) => share.some((each) => isSpecial(each, ours, python)));
          theirs = new Map([...newest, ...(await ask(special))]);
        }
      },
      slow(120, "starts many kernels"),
    );

    for (const { name, cells } of notebooks) {
      test(name, () => {
        const reasons = reasonsFor(name, python);
        const unlisted = [];
        const stale = [];
        for (const index of cells.keys()) {
          const [omp, nbclient] = [ours.get(name)?.[index], theirs.get(name)?.[index]];
          const isEqual = omp !== undefined && Bun.deepEquals(omp, nbclient);
          if (isEqual && reasons.get(index + 1) === true) stale.push(index + 1);
          if (!isEqual && !reasons.has(index + 1)) unlisted.push({ cell: index + 1, omp, nbclient });
        }
        expect(unlisted).toEqual([]);
        expect(stale).toEqual([]);
      });
    }
  });
}
