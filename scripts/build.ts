/** `npm run build`: builds the bundle, and dist/omp, a single file that runs without the checkout. dist/rg belongs to it. */

import { chmodSync, copyFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findRipgrep } from "../src/tools/ripgrep.ts";
import { buildBundle } from "./bundle.ts";
import { bundling } from "./lib/bundling.ts";

const root = resolve(import.meta.dir, "..");

await buildBundle(root);
const program = await buildProgram(join(root, "dist", "omp"));
placeRipgrep(join(root, "dist"));
const megabytes = (statSync(program).size / 1e6).toFixed(0);
process.stderr.write(`built dist/bundle and dist/omp (${megabytes} MB)\n`);

async function buildProgram(target: string): Promise<string> {
  const aside = `${target}.partial-${process.pid}`;
  try {
    const result = await Bun.build({
      entrypoints: [join(root, "src", "cli", "main.ts")],
      ...bundling,
      // The user's project must not configure omp's own runtime.
      compile: { outfile: aside, autoloadDotenv: false, autoloadBunfig: false },
    });
    if (!result.success) throw new AggregateError(result.logs, "dist/omp could not be built");
    chmodSync(aside, 0o755);
    renameSync(aside, target);
    return target;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** `grep` and `find` look for it next to the program, since a second program cannot be part of the file. */
function placeRipgrep(directory: string): void {
  const rg = findRipgrep(process.env["PATH"]);
  if (rg) copyFileSync(rg, join(directory, "rg"));
}
