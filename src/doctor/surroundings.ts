/** What `omp doctor` says about the program, its home and disk, and the environment of child processes. */

import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OmpPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { formatSize } from "../format/numbers.ts";
import { shellQuote } from "../format/shell-quote.ts";
import { systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { explainEnvironment, type VariableVerdict } from "../python/environment.ts";
import { type Check, list } from "./check.ts";

export function checkProgram(version: string): Check {
  const system = `${process.platform} ${process.arch}`;
  const details = { version, bun: Bun.version, platform: process.platform, arch: process.arch };
  return { name: "omp", status: "ok", value: `${version} (Bun ${Bun.version}, ${system})`, details };
}

export function checkEnvironment(env: Invocation["env"], { environment: { pass } }: Settings): Check {
  const { variables, unmatched } = explainEnvironment({ env, pass });
  const named = (wanted: VariableVerdict["verdict"]) =>
    variables.filter(({ verdict }) => verdict === wanted).map(({ name }) => name);
  const [passed, secret, unlisted] = [named("passed"), named("secret"), named("unlisted")];
  // Every shell sets these itself: that they are withheld is not worth a note.
  const notable = unlisted.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name));
  const withheld = secret.length + notable.length;
  return {
    name: "environment",
    status: "ok",
    value: `${passed.length} variables passed to programs, ${withheld} withheld`,
    notes: [
      ...(secret.length === 0 ? [] : [`withheld, may be secret: ${list(secret)}`]),
      ...(notable.length === 0 ? [] : [`withheld, not on the list: ${list(notable)}`]),
      ...(pass.length === 0 ? [] : [`environment.pass: ${list(pass)}`]),
      ...(unmatched.length === 0
        ? []
        : [`environment.pass names variables that are not set: ${list(unmatched)}`]),
    ],
    details: { passed, secret, unlisted, unmatched },
  };
}

/** `omp doctor --env`: every variable, whether programs get it, and why. Never a value. */
export function environmentRows(env: Invocation["env"], { environment: { pass } }: Settings) {
  return explainEnvironment({ env, pass }).variables.map(({ name, verdict, why }) => ({
    name,
    passed: verdict === "passed",
    why,
  }));
}

const MIN_FREE_BYTES = 1024 ** 3;

export function checkHome({ home, artifacts }: OmpPaths, { artifacts: limits }: Settings): Check[] {
  const there = nearestExisting(home);
  return [homeCheck(home, there), diskCheck(there, artifacts, limits.maxTotalMb * 1024 ** 2)];
}

function diskCheck(there: string, artifacts: string, maxBytes: number): Check {
  const name = "disk";
  try {
    const { bavail, bsize } = statfsSync(there);
    const freeBytes = bavail * bsize;
    const artifactBytes = sizeOf(artifacts);
    const details = { freeBytes, artifactBytes };
    const value = `${formatSize(freeBytes)} free, artifacts use ${formatSize(artifactBytes)} of ${formatSize(maxBytes)}`;
    if (freeBytes >= MIN_FREE_BYTES) return { name, status: "ok", value, details };
    return { name, status: "warn", value, fix: `free some space at ${there}`, details };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { name, status: "warn", value: `cannot be read (${code})`, fix: `make ${artifacts} readable` };
  }
}

function homeCheck(home: string, there: string): Check {
  const name = "home";
  const details = { path: home, exists: there === home };
  const ok = (value: string): Check => ({ name, status: "ok", value, details });
  const warn = (value: string, fix: string): Check => ({ name, status: "warn", value, fix, details });
  try {
    accessSync(there, constants.W_OK);
  } catch {
    return warn(`${home} cannot be written`, `make ${there} writable, or set OMP_HOME`);
  }
  if (there !== home) return ok(`${home} (created when needed)`);
  if (!statSync(home).isDirectory()) return warn(`${home} is not a directory`, "set OMP_HOME");
  const isPrivate = process.platform === "win32" || (statSync(home).mode & 0o077) === 0;
  return isPrivate ? ok(home) : warn(`${home} is readable by other users`, `chmod 700 ${shellQuote(home)}`);
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function sizeOf(directory: string): number {
  if (!existsSync(directory)) return 0;
  let total = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    // Another omp may be cleaning up.
    if (entry.isFile())
      total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
}
