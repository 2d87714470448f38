/**
 * Bun's program for this computer. It is in an npm package for each platform, which npm chooses by itself: no install script has
 * to run, and the npm package `bun`, which has a placeholder until its install script has run, is not needed.
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkoutPaths } from "./checkout.mjs";

/**
 * @param {string} checkout
 * @param {{ platform: string, arch: string }} [machine]
 * @returns {string | undefined} the same one as bin/omp finds
 */
export function findBun(checkout, machine = process) {
  const binaries = bunPackages(machine).map((name) =>
    join(checkoutPaths(checkout).modules, name, "bin", "bun"),
  );
  const there = binaries.filter((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & 0o111) !== 0;
  });
  // npm before 10.4 installs those for glibc and for musl.
  return there.length > 1 && isMusl() ? there[1] : there[0];
}

/**
 * @param {{ platform: string, arch: string }} machine
 * @returns {string[]} those that may fit, the one for glibc first
 */
export function bunPackages({ platform, arch }) {
  const name = `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`;
  return platform === "linux" ? [name, `${name}-musl`] : [name];
}

/** A system with glibc may have musl as well, but not the other way round. */
function isMusl() {
  return !existsSync("/lib64/ld-linux-x86-64.so.2") && !existsSync("/lib/ld-linux-aarch64.so.1");
}
