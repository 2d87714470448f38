/**
 * Is there anything left to set up? Answered from file dates alone, in a few milliseconds: no npm, Bun or Python is
 * started to find out. What is not ready is made by scripts/prepare.ts.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { places } from "./checkout.mjs";

/** A set-up of Python that failed is not tried again at every start: without a network each try takes long. */
export const retryAfterMs = 60 * 60 * 1000;

/** The same question that bin/omp asks. */
export function bundleIsFresh(checkout) {
  const built = statSync(places(checkout).bundle, { throwIfNoEntry: false })?.mtimeMs;
  return built !== undefined && newestSource(checkout) <= built;
}

/** The date of the newest file that the bundle is made from. */
export function newestSource(checkout) {
  let newest = 0;
  const look = (file) => {
    newest = Math.max(newest, statSync(file).mtimeMs);
  };
  const walk = (directory) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (/\.(?:tsx?|py|md)$/.test(entry.name)) look(path);
    }
  };
  look(join(checkout, "package.json"));
  look(join(checkout, "package-lock.json"));
  walk(join(checkout, "src"));
  walk(join(checkout, "prompts"));
  return newest;
}

/**
 * What scripts/prepare.ts found out about Python and what that rests on: variables, the directory, and the dates of files
 * (null: not there).
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
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, now: number }} place
 * @returns {PythonState | undefined} undefined when it has to be looked into
 */
export function knownPythonState(checkout, { env, cwd, now }) {
  const state = readState(join(places(checkout).state, "python.json"));
  if (state === undefined || state.cwd !== cwd) return undefined;
  if (state.status === "failed" && Math.abs(now - state.at) > retryAfterMs) return undefined;
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
    // Not there yet, or not whole: it is written again.
    return undefined;
  }
}
