/**
 * Remakes src/python/managed-requirements.txt, the exact packages of the managed environment, with the newest versions of the
 * index: `node scripts/with-bun.mjs scripts/pin-python.ts`. Needs uv, or a package index to get it from.
 *
 * One resolution for every system and every Python that omp supports; where versions must differ, markers say which is for whom.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { managedPackages } from "../src/python/managed-requirements.ts";
import { compilePins } from "./lib/compile-pins.ts";

const target = join(import.meta.dir, "..", "src", "python", "managed-requirements.txt");

const HEADER = `# The packages of the managed environment: exact versions, and a hash of every file that may be installed.
# Made by scripts/pin-python.ts, which also makes it again. Why, and what happens where an index lacks them: docs/adr/0013.
`;

// The last pip for the oldest Python serves all: one wheel is enough to begin with (pip-wheel.ts).
const packages = ["pip<26.1", ...managedPackages];
writeFileSync(target, HEADER + (await compilePins({ packages, before: "", options: ["--generate-hashes"] })));
