/**
 * The npm part of the set-up: node_modules as in package-lock.json, for tests or only for omp itself. Checking reads files only,
 * and a stamp saves comparing them at every start.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutPaths, SetupError } from "./checkout.mjs";
import { checkNpm, fullDisk, installFailure, npmCache, runNpm } from "./npm.mjs";
import { showProgress } from "./progress.mjs";

/** What the packages take on the disk, roughly. */
const SIZE_MB = { run: 190, tests: 340 };

/**
 * @param {string} checkout
 * @param {{ tests: boolean }} options whether those count that only checks and tests need
 */
export function dependenciesAreCurrent(checkout, { tests }) {
  const { lockFile, installedFile, state } = checkoutPaths(checkout);
  const lock = readFileSync(lockFile);
  const hash = hashOf(lock);
  const installed = textOf(installedFile);
  if (installed === undefined) return false;
  const [stampedHash, level] = textOf(join(state, "dependencies"))?.split(" ") ?? [];
  if (stampedHash === hash && (level === "tests" || !tests)) return true;
  // The user ran npm: there is no stamp, but the packages may be right.
  if (!sameVersions(JSON.parse(lock.toString("utf8")).packages, JSON.parse(installed).packages)) return false;
  stamp(state, `${hash} tests`);
  return true;
}

/**
 * @param {string} checkout
 * @param {{ env: NodeJS.ProcessEnv, tests: boolean, scratch: string, onChild?: (pid: number) => void }} options
 */
export async function installDependencies(checkout, { env, tests, scratch, onChild }) {
  const { lockFile, installedFile, modules, state } = checkoutPaths(checkout);
  checkNpm(env);
  // Whatever interrupts npm from here on: the next start must not take the packages for whole.
  for (const file of [installedFile, join(state, "dependencies")]) rmSync(file, { force: true });
  // No package needs its install script.
  const flags = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  // What only tests need is in the workspace `test`.
  flags.push(
    `--workspaces=${tests}`,
    ...(tests ? ["--include-workspace-root"] : []),
    "--cache",
    npmCache(env, scratch),
  );
  const sizeMb = tests ? SIZE_MB.tests : SIZE_MB.run;
  const progress = showProgress({ what: "npm packages", directory: modules, sizeMb });
  let end;
  try {
    end = await runNpm([...flags, "--loglevel=warn"], { checkout, env, onChild });
  } finally {
    progress.end();
  }
  if (end.interruptedBy !== undefined) throw new SetupError("interrupted", end.interruptedBy);
  if (end.exitCode !== 0 || fullDisk(end.output) !== undefined) {
    rmSync(installedFile, { force: true });
    throw installFailure(end.output, { checkout, sizeMb });
  }
  stamp(state, `${hashOf(readFileSync(lockFile))} ${tests ? "tests" : "run"}`);
}

/** Whether every locked package is installed in its version; missing optional ones are for other platforms. */
function sameVersions(wanted, installed) {
  const there = Object.keys(installed);
  return (
    there.every((name) => wanted[name]?.version === installed[name].version) &&
    Object.entries(wanted).every(([name, entry]) => name === "" || entry.optional || name in installed)
  );
}

function stamp(state, text) {
  try {
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, "dependencies"), text);
  } catch {
    // Another user's checkout, or a full disk: the next start compares again.
  }
}

function hashOf(content) {
  return createHash("sha256").update(content).digest("hex");
}

function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
