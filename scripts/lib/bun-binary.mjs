/**
 * Bun's binary in the place where the launcher looks for it. The npm package `bun` ships a stub there, and an install
 * script that newer npm does not run puts the real one, which comes as a package per platform, in its stead.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { places, SetupError, say } from "./checkout.mjs";

const smallestBinary = 1_000_000;

/** @param {string} checkout */
export function bunIsThere(checkout) {
  const stats = statSync(places(checkout).bun, { throwIfNoEntry: false });
  return stats !== undefined && stats.size >= smallestBinary && (stats.mode & 0o111) !== 0;
}

/** @param {string} checkout */
export function installBun(checkout) {
  const { modules, bun } = places(checkout);
  say("putting Bun into place");
  const platforms = join(modules, "@oven");
  const binaries = entries(platforms).map((name) => join(platforms, name, "bin", "bun"));
  // More than one fits where the processor's abilities decide: the first that runs is it.
  const working = binaries.find((binary) => {
    chmodIfThere(binary);
    return spawnSync(binary, ["--version"], { stdio: "ignore" }).status === 0;
  });
  if (working !== undefined) {
    const aside = `${bun}.${process.pid}`;
    rmSync(aside, { force: true });
    linkOrCopy(working, aside);
    renameSync(aside, bun);
  } else {
    // It can fetch a binary that npm did not.
    spawnSync(process.execPath, ["install.js"], { cwd: join(modules, "bun"), stdio: "inherit" });
  }
  if (!bunIsThere(checkout)) {
    throw new SetupError(
      `no Bun for ${process.platform}-${process.arch} among the npm packages (${entries(platforms).join(", ") || "none"})\n` +
        "Delete node_modules and run: npm start",
    );
  }
}

function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    // Another file system, or one without links.
    copyFileSync(from, to);
    chmodSync(to, 0o755);
  }
}

function chmodIfThere(file) {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) chmodSync(file, 0o755);
}

function entries(directory) {
  return statSync(directory, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(directory).sort();
}
