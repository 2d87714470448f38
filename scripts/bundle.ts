/**
 * The bundle that bin/omp starts: quicker than the sources, split so that only what a command needs is loaded.
 *
 * Parts have a hash of their content in their names and are written first; main.js, which names them, is renamed into place
 * last. So an omp that starts meanwhile gets the old bundle or the new one, and an omp that is running still finds the parts of
 * its bundle: old parts are removed a week later.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { bundling } from "./lib/bundling.ts";
import { newestSource } from "./lib/ready.mjs";

const KEEP_OLD_PARTS_MS = 7 * 24 * 60 * 60 * 1000;
const KEEP_PARTIAL_MS = 60 * 60 * 1000;

export interface BundleOptions {
  readonly name?: string;
  /** How long the parts of earlier bundles stay. */
  readonly keepOldMs?: number;
  readonly plugins?: readonly BunPlugin[];
}

export async function buildBundle(
  root: string,
  { name = "bundle", keepOldMs = KEEP_OLD_PARTS_MS, plugins = [] }: BundleOptions = {},
): Promise<string> {
  const dist = join(root, "dist");
  const target = join(dist, name);
  const aside = join(dist, `${name}.partial-${process.pid}`);
  removeLeftovers(dist);
  // A source that changes during the build must count as newer than the bundle.
  const asOfMs = Math.max(Date.now(), newestSource(root) + 1);
  try {
    const result = await Bun.build({
      entrypoints: [join(root, "src", "cli", "main.ts")],
      outdir: aside,
      naming: { entry: "main.js", chunk: "part-[hash].js", asset: "[name]-[hash].[ext]" },
      ...bundling,
      plugins: [...bundling.plugins, ...plugins],
      splitting: true,
    });
    if (!result.success) throw new AggregateError(result.logs, "the bundle could not be built");
    mkdirSync(target, { recursive: true });
    const names = readdirSync(aside);
    for (const name of names.filter((each) => each !== "main.js")) {
      renameSync(join(aside, name), join(target, name));
    }
    const main = join(target, "main.js");
    utimesSync(join(aside, "main.js"), asOfMs / 1000, asOfMs / 1000);
    renameSync(join(aside, "main.js"), main);
    removeOldParts(target, { current: names, keepOldMs });
    return main;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function removeOldParts(
  target: string,
  { current, keepOldMs }: { current: readonly string[]; keepOldMs: number },
): void {
  for (const name of readdirSync(target)) {
    const path = join(target, name);
    if (current.includes(name) || Date.now() - statSync(path).mtimeMs < keepOldMs) continue;
    rmSync(path, { force: true });
  }
}

/** Of builds that were killed. */
function removeLeftovers(dist: string): void {
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    const path = join(dist, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (name.includes(".partial-") && age > KEEP_PARTIAL_MS) rmSync(path, { recursive: true, force: true });
  }
}
