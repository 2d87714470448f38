/** Sets up what is missing, in order: npm packages, Bun, then (running on Bun) the Python environments and the bundle. */

import { join } from "node:path";
import { bunIsThere, installBun } from "./bun-binary.mjs";
import { checkoutPaths, SetupError, say } from "./checkout.mjs";
import { dependenciesAreCurrent, installDependencies } from "./dependencies.mjs";
import { whileLocked } from "./lock.mjs";
import { bundleIsFresh, knownPythonState } from "./ready.mjs";
import { runInherited } from "./run.mjs";

/**
 * @param {{
 *   checkout: string,
 *   env: NodeJS.ProcessEnv,
 *   cwd: string,
 *   needs: readonly ("python" | "bundle" | "tests")[],
 * }} options
 */
export async function setUp({ checkout, env, cwd, needs }) {
  const before = performance.now();
  const { bun } = checkoutPaths(checkout);
  const check = () => ({ packages: !dependenciesAreCurrent(checkout), bun: !bunIsThere(checkout) });
  const first = check();
  if (first.packages || first.bun) {
    await whileLocked(join(checkout, ".omp-setup.lock"), async () => {
      // The previous owner of the lock may have done it.
      if (check().packages) installDependencies(checkout, env);
      if (check().bun) installBun(checkout);
    });
  }

  const python = needs.includes("python")
    ? knownPythonState(checkout, { env, cwd, now: Date.now() })
    : undefined;
  const missing = needs.filter(
    (need) =>
      need === "tests" ||
      (need === "python" && python === undefined) ||
      (need === "bundle" && !bundleIsFresh(checkout)),
  );
  // One line at every start: the reasons were shown when it failed.
  if (python?.status === "failed") say(python.advice);
  if (env["PI_DEBUG_STARTUP"] === "1") {
    say(
      `checked in ${(performance.now() - before).toFixed(1)} ms; to do: ${missing.join(", ") || "nothing"}`,
    );
  }
  if (missing.length === 0) return;

  const argv = [bun, "--no-env-file", join(checkout, "scripts", "prepare.ts"), cwd, ...missing];
  // Otherwise Bun would keep a cache of compiled sources in the user's home.
  const quiet = { ...env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const { exitCode, signal } = await runInherited(argv, { cwd: checkout, env: quiet });
  if (signal === "SIGINT" || exitCode === 130) throw new SetupError("interrupted");
  if (exitCode !== 0)
    throw new SetupError(`scripts/prepare.ts ended with ${signal ?? `exit code ${exitCode}`}`);
}

/** Shows the message of a SetupError, which is for the user; anything else is a bug. */
export function report(error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = error.message === "interrupted" ? 130 : 1;
}
