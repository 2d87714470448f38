/**
 * The bundle that bin/omp starts: quicker than the sources, split so that only what a command needs is loaded.
 *
 * Parts have their content's hash in their names and are written first; main.js, which names them, is renamed into place
 * last. So whoever starts meanwhile gets the old bundle or the new one, and an omp that runs still finds the
 * parts of the bundle that it was started from: those are removed when they are old.
 */

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { bundling } from "./lib/bundling.ts";
import { newestSource } from "./lib/ready.mjs";

const keepOldPartsMs = 7 * 24 * 60 * 60 * 1000;

export async function buildBundle(root: string): Promise<string> {
  const dist = join(root, "dist");
  const place = join(dist, "bundle");
  const aside = join(dist, `bundle.partial-${process.pid}`);
  // A source that changes while this runs is newer than the bundle, as it should be.
  const asOfMs = Math.max(Date.now(), newestSource(root) + 1);
  try {
    const result = await Bun.build({
      entrypoints: [join(root, "src", "cli", "main.ts")],
      outdir: aside,
      naming: { entry: "main.js", chunk: "part-[hash].js", asset: "[name]-[hash].[ext]" },
      ...bundling,
      splitting: true,
    });
    if (!result.success) throw new AggregateError(result.logs, "the bundle could not be built");
    mkdirSync(place, { recursive: true });
    const names = readdirSync(aside);
    for (const name of names.filter((each) => each !== "main.js")) {
      renameSync(join(aside, name), join(place, name));
    }
    const main = join(place, "main.js");
    utimesSync(join(aside, "main.js"), asOfMs / 1000, asOfMs / 1000);
    renameSync(join(aside, "main.js"), main);
    removeOldParts(place, names);
    return main;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function removeOldParts(place: string, current: readonly string[]): void {
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (current.includes(name) || Date.now() - statSync(path).mtimeMs < keepOldPartsMs) continue;
    rmSync(path, { force: true });
  }
}
