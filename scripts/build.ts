/**
 * `npm run build`: dist/omp, a single file that runs without the checkout; ripgrep and pip's wheel are inside.
 * `npm run build -- <target> …` makes dist/omp-<target> for other systems, `npm run build -- all` for every one.
 */

import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { findBun } from "./lib/bun-binary.mjs";
import { bundling, withPip, withRipgrep } from "./lib/bundling.ts";
import { fetchPip } from "./lib/fetch-pip.ts";
import { signAdHoc } from "./lib/mac-signature.ts";
import { packageDirectory, type Target, targets } from "./lib/targets.ts";

const root = resolve(import.meta.dir, "..");
const names = process.argv.slice(2);
const unknown = names.filter((name) => name !== "all" && !targets.some((target) => target.name === name));

if (unknown.length > 0) {
  const known = targets.map(({ name }) => name).join(" | ");
  process.stderr.write(`unknown: ${unknown.join(", ")}; usage: npm run build [-- all | ${known}]\n`);
  process.exitCode = 2;
} else if (names.length === 0) {
  await report(join(root, "dist", "omp"), ownTarget());
} else {
  const wanted = names.includes("all") ? targets : targets.filter(({ name }) => names.includes(name));
  for (const target of wanted) await report(join(root, "dist", `omp-${target.name}`), target);
}

function ownTarget(): Target {
  const bun = findBun(root) ?? "";
  const own = targets.find(({ bunPackage }) => bun.includes(join("node_modules", bunPackage, "bin")));
  if (own === undefined) throw new Error(`no target for ${bun}`);
  return own;
}

/** Without an index a build for oneself is still of use; a package is not made without it. */
async function pipPlugins(): Promise<BunPlugin[]> {
  try {
    return [withPip(await fetchPip(root))];
  } catch (error) {
    process.stderr.write(`built without pip's wheel: ${error instanceof Error ? error.message : error}\n`);
    return [];
  }
}

async function report(file: string, target: Target): Promise<void> {
  await buildProgram(file, target);
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  process.stderr.write(`built ${file} for ${target.name} (${megabytes} MB)\n`);
}

async function buildProgram(file: string, target: Target): Promise<void> {
  const aside = `${file}.partial-${process.pid}`;
  const bun = join(await packageDirectory(root, target.bunPackage), "bin", "bun");
  const ripgrep = join(await packageDirectory(root, target.ripgrepPackage), "bin", "rg");
  try {
    const result = await Bun.build({
      entrypoints: [join(root, "src", "cli", "main.ts")],
      ...bundling,
      plugins: [...bundling.plugins, withRipgrep(ripgrep), ...(await pipPlugins())],
      // Only what a command needs is loaded; otherwise even `--version` reads everything.
      splitting: true,
      // The user's project must not configure omp's own runtime.
      compile: {
        outfile: aside,
        target: target.compile,
        // Otherwise Bun downloads the one for another system.
        executablePath: bun,
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    });
    if (!result.success) throw new AggregateError(result.logs, `${file} could not be built`);
    if (target.name === "darwin-x64") writeFileSync(aside, signAdHoc(readFileSync(aside), "omp"));
    chmodSync(aside, 0o755);
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}
