/**
 * Remakes the pinned parts of test/requirements*.txt: `node scripts/with-bun.mjs scripts/pin-tests.ts`. Versions that are there already are
 * kept where they fit; `--upgrade` takes the newest. Needs uv, or a package index to get it from.
 *
 * One resolution for every Python that omp supports; where versions must differ, markers say which is for whom.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compilePins } from "./lib/compile-pins.ts";

const directory = join(import.meta.dir, "..", "test");

/** What each environment is for is in the comment at the top of its file; what it has to have is here. */
const environments: Readonly<Record<string, readonly string[]>> = {
  "requirements.txt": [
    "cloudpickle",
    "ipykernel>=6.31",
    "ipywidgets",
    "jupyter-kernel-gateway",
    "jupyter-client",
    "jupyter-server",
    "matplotlib",
    "matplotlib-inline",
    "nbclient",
    "nbformat",
    "pandas",
    "rich",
    "tqdm",
    "uv",
  ],
  "requirements-ipykernel6.txt": ["ipykernel==6.31.0", "matplotlib", "matplotlib-inline"],
  "requirements-ipykernel6.28.txt": ["ipykernel==6.28.0", "ipython<9"],
  "requirements-ipykernel6.25.txt": ["ipykernel==6.25.1", "ipython<9"],
  "requirements-ipykernel6.17.txt": [
    "ipykernel==6.17.0",
    "ipython==8.5.0",
    "jupyter-client==7.4.9",
    "traitlets==5.5.0",
  ],
  "requirements-enterprise.txt": [
    "ipykernel==6.29.5",
    "jupyter-client==6.1.12",
    "jupyter-server==1.24.0",
    "jupyter-enterprise-gateway>=3.2",
  ],
};

/** Where a package has no wheel for a Python, the environment is left out, and not built for minutes. */
const WHEELS_ONLY = "--only-binary :all:";

for (const [name, packages] of Object.entries(environments)) {
  const file = join(directory, name);
  const text = readFileSync(file, "utf8");
  const about = /^(?:#.*\n)+/.exec(text)?.[0] ?? "";
  const before = process.argv.includes("--upgrade") ? "" : text;
  writeFileSync(file, `${about}\n${WHEELS_ONLY}\n${await compilePins({ packages, before, options: [] })}`);
}
