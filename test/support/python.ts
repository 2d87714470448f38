/**
 * The Pythons that tests run against: `.venv`, `.venv-ipykernel6…` and `.venv-enterprise` in the checkout, made by `npm test`. Where one could
 * not be made (no package index), tests that need it are skipped with the reason printed; with CI=true they fail.
 */

import { describe } from "bun:test";
import { join } from "node:path";
import { OLDER_IPYKERNELS } from "../../scripts/test-environments.ts";
import { readEnvironment } from "../../src/python/managed-environment.ts";
import { isAtLeast } from "../../src/python/preflight.ts";
import { checkout } from "./omp.ts";

export interface TestPython {
  /** For test names. */
  readonly name: string;
  readonly path: string;
  readonly venv: string;
  /** The beginning of its version. */
  readonly ipykernel: string;
  /** Versions of what is installed, by normalised name (`jupyter-client`); empty when the environment is missing. */
  readonly packages: Readonly<Record<string, string>>;
  /** There is none for this Python: the tests that need it are left out, on CI, too. */
  readonly isOptional: boolean;
}

function pythonUnderTest(directory: string, ipykernel: string): TestPython {
  const venv = join(checkout, directory);
  const packages = readEnvironment(venv)?.packages ?? {};
  const path = join(venv, "bin", "python");
  return { name: `ipykernel ${ipykernel}`, path, venv, ipykernel, packages, isOptional: false };
}

/** Of the Python that the environments are made from. */
const version = readEnvironment(join(checkout, ".venv"))?.python ?? "3.11";

/** The newest for this Python: ipykernel 7 needs 3.10. */
export const testPython = pythonUnderTest(".venv", isAtLeast(version, [3, 10]) ? "7" : "6");
export const testPython6 = pythonUnderTest(".venv-ipykernel6", "6");
/** Only for the core of the contract. */
export const olderPythons = OLDER_IPYKERNELS.map((version) =>
  pythonUnderTest(`.venv-ipykernel${version}`, version),
);
/** Enterprise Gateway needs an older jupyter_client, so it has its own environment. */
export const enterprisePython: TestPython = {
  ...pythonUnderTest(".venv-enterprise", "6"),
  isOptional: isAtLeast(version, [3, 12]),
};
/** Every version of ipykernel that we support; only the newest with `npm test -- --quick`. */
export const pythonsUnderTest: readonly TestPython[] =
  process.env["OMP_TEST_QUICK"] === "1" ? [testPython] : [testPython, testPython6];

/** Why tests that need these packages cannot run with this Python; undefined when they can. */
export function missingFrom(python: TestPython, packages: readonly string[] = []): string | undefined {
  const lacking = ["ipykernel", ...packages].filter(
    (name) => !(name.replaceAll("_", "-") in python.packages),
  );
  if (lacking.length > 0)
    return `${python.venv} lacks ${lacking.join(", ")}; run npm test with a package index`;
  if (python.packages["ipykernel"]?.startsWith(`${python.ipykernel}.`)) return undefined;
  return `${python.venv} has ipykernel ${python.packages["ipykernel"]}, not ${python.ipykernel}`;
}

/**
 * A `describe` that needs a Python with ipykernel and these packages. Contributors without a package index can still run the other tests:
 * theirs counts what is skipped, and says why. With CI=true a missing package is an error.
 */
export function describeWithPython(
  python: TestPython,
  name: string,
  body: () => void,
  packages: readonly string[] = [],
): void {
  const missing = missingFrom(python, packages);
  if (missing === undefined) {
    describe(name, body);
    return;
  }
  if (process.env["CI"] === "true" && !python.isOptional) throw new Error(`${name}: ${missing}`);
  process.stderr.write(`skipped: ${name}: ${missing}\n`);
  describe.skip(name, body);
}
