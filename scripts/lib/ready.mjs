/**
 * Whether anything is left to set up. Reads file dates only, which takes a few milliseconds: npm, Bun and Python are not
 * started to find out. scripts/prepare.ts makes what is missing.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkoutPaths } from "./checkout.mjs";

/** A failed set-up of Python is not retried at every start: without a network each attempt takes long. */
export const RETRY_AFTER_MS = 60 * 60 * 1000;

/** The same check as in bin/omp. */
export function bundleIsFresh(checkout) {
  const built = statSync(checkoutPaths(checkout).bundle, { throwIfNoEntry: false })?.mtimeMs;
  return built !== undefined && newestSource(checkout) <= built;
}

/** The date of the newest file that goes into the bundle. */
export function newestSource(checkout) {
  let newest = 0;
  const look = (file) => {
    newest = Math.max(newest, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  };
  const walk = (directory) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (/\.(?:tsx?|py|md|json)$/.test(entry.name)) look(path);
    }
  };
  for (const file of ["package.json", "package-lock.json", "scripts/bundle.ts", "scripts/lib/bundling.ts"])
    look(join(checkout, file));
  walk(join(checkout, "src"));
  walk(join(checkout, "prompts"));
  return newest;
}

/**
 * What scripts/prepare.ts found out about Python, and what the result depends on: variables, the directory, and the dates of
 * files (null: missing).
 * @typedef {{
 *   status: "ready" | "failed",
 *   advice: string,
 *   at: number,
 *   cwd: string,
 *   env: Record<string, string | null>,
 *   files: Record<string, number | null>,
 * }} PythonState
 */

/**
 * @param {string} checkout
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, now: number }} current
 * @returns {PythonState | undefined} undefined when it has to be found out
 */
export function knownPythonState(checkout, { env, cwd, now }) {
  const state = readState(join(checkoutPaths(checkout).state, "python.json"));
  if (state === undefined || state.cwd !== cwd) return undefined;
  if (state.status === "failed" && Math.abs(now - state.at) > RETRY_AFTER_MS) return undefined;
  const sameVariables = Object.entries(state.env).every(([name, value]) => (env[name] ?? null) === value);
  return sameVariables && Object.entries(state.files).every(([file, date]) => dateOf(file) === date)
    ? state
    : undefined;
}

/** @returns {number | null} */
export function dateOf(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return null;
  }
}

/** @returns {PythonState | undefined} */
function readState(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Missing or incomplete: it is written again.
    return undefined;
  }
}
