/**
 * Installs Bun's binary where the launcher looks for it. The npm package `bun` ships a stub there; its install script, which
 * newer npm does not run, replaces the stub with the binary from the package of the platform.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkoutPaths, SetupError, say } from "./checkout.mjs";

const SMALLEST_BINARY_BYTES = 1_000_000;

/** @param {string} checkout */
export function bunIsThere(checkout) {
  const stats = statSync(checkoutPaths(checkout).bun, { throwIfNoEntry: false });
  return stats !== undefined && stats.size >= SMALLEST_BINARY_BYTES && (stats.mode & 0o111) !== 0;
}

/** @param {string} checkout */
export function installBun(checkout) {
  const { modules, bun } = checkoutPaths(checkout);
  say("installing Bun");
  const platforms = join(modules, "@oven");
  const binaries = entries(platforms).map((name) => join(platforms, name, "bin", "bun"));
  // Several packages may fit, depending on what the processor supports: the first binary that runs is taken.
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
    // Bun's own script can download a binary that npm did not.
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
    // On another file system, or on one without hard links.
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
