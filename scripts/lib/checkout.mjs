/** Paths in the checkout, and what the set-up says. Plain Node: this runs before anything is installed. */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** @param {string} checkout */
export function checkoutPaths(checkout) {
  const modules = join(checkout, "node_modules");
  return {
    modules,
    lockFile: join(checkout, "package-lock.json"),
    /** npm's own record of what it has installed. */
    installedFile: join(modules, ".package-lock.json"),
    dist: join(checkout, "dist"),
    bundle: join(checkout, "dist", "bundle", "main.js"),
    launcher: join(checkout, "bin", "omp"),
    /** What the set-up remembers. In node_modules, so that both are deleted together. */
    state: join(modules, ".omp-setup"),
  };
}

/** @param {string} text */
export function say(text) {
  process.stderr.write(`omp set-up: ${text}\n`);
}

/** A problem that the user can fix; only its message is shown. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
