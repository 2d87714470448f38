/**
 * How long a test may take, and how much longer on a busy machine. Every limit in the tests derives from the two numbers here,
 * multiplied by the load factor that `npm test` passes on as OMP_TEST_LOAD. The limits are there for tests that hang.
 */

/** One test, unless it declares itself slow (see `slow` in test/support/limits.ts). */
export const TEST_LIMIT_MS = 15_000;
/** One wait inside a test: shorter, so that the failure says what was waited for. */
export const WAIT_LIMIT_MS = TEST_LIMIT_MS / 2;

/** A build must never fail because its machine is slow, and no developer waits for it. */
const CI_LOAD_FACTOR = 16;

/**
 * OMP_TEST_LOAD when it is set, a generous factor with CI=true, otherwise from how busy the machine is now and will be.
 * @param {NodeJS.ProcessEnv} env
 * @param {{ load: number, cores: number, workers: number }} machine
 * @returns {number}
 */
export function loadFactor(env, { load, cores, workers }) {
  const given = env["OMP_TEST_LOAD"];
  if (given !== undefined) return parseLoadFactor(given);
  if (env["CI"] === "true") return CI_LOAD_FACTOR;
  const busy = (load + workers) / cores;
  return Math.min(CI_LOAD_FACTOR, Math.max(1, Math.ceil(busy)));
}

/**
 * @param {string} text
 * @returns {number}
 */
export function parseLoadFactor(text) {
  const factor = Number(text);
  if (text.trim() === "" || !(factor > 0 && factor < Infinity))
    throw new Error(`OMP_TEST_LOAD must be a number above 0, not '${text}'`);
  return factor;
}
