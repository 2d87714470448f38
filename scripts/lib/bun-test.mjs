/** Runs `bun test` on the checkout: how many workers, which limits, in which environment. */

import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { findBun } from "./bun-binary.mjs";
import { checkoutPaths, root } from "./checkout.mjs";
import { runInherited } from "./run.mjs";
import { loadFactor, TEST_LIMIT_MS } from "./test-limits.mjs";

const MOST_WORKERS = 6;

/**
 * @param {{ flags?: readonly string[], patterns: readonly string[], env?: Readonly<Record<string, string>>, onError?: (text: string) => void }} options
 *   onError gets the report as it is written
 * @returns {Promise<{ exitCode: number, signal: NodeJS.Signals | null }>}
 */
export function runBunTest({ flags = [], patterns, env = {}, onError }) {
  const { state } = checkoutPaths(root);
  const cores = availableParallelism();
  // One more than there are cores: many tests wait for a process or a time limit.
  const workers = Math.min(cores + 1, MOST_WORKERS);
  const factor = loadFactor(process.env, { load: loadavg()[0], cores, workers });
  const limitMs = TEST_LIMIT_MS * factor;
  process.stdout.write(`tests (load factor ${factor}: at most ${limitMs / 1000} s each, unless slow) …\n`);
  const argv = [
    findBun(root) ?? "bun",
    "test",
    // Each file runs in a fresh worker: one that crashes or exits early is counted, which a single process cannot do for itself.
    `--parallel=${workers}`,
    `--timeout=${limitMs}`,
    // Files that took longest last time start first, so that all workers finish at about the same time.
    `--timings=${join(state, "test-timings.json")}`,
    "--update-timings",
    ...flags,
    ...patterns,
  ];
  return runInherited(argv, {
    cwd: root,
    env: { ...cleanEnvironment(), OMP_TEST_LOAD: String(factor), ...env },
    onError,
  });
}

/** As for a user who has set nothing: variables that change what omp does are for the tests to set. */
function cleanEnvironment() {
  const env = { ...process.env, NODE_ENV: "test" };
  for (const name of Object.keys(env)) if (/^(PI_|OMP_)/.test(name)) delete env[name];
  return env;
}
