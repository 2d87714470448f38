/** Sets up what is missing, in order: npm packages, then (running on Bun) the Python environments and the bundle. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun-binary.mjs";
import { checkoutPaths, SetupError, say } from "./checkout.mjs";
import { dependenciesAreCurrent, installDependencies } from "./dependencies.mjs";
import { whileLocked } from "./lock.mjs";
import { canWrite } from "./npm.mjs";
import { bundleIsFresh, knownPythonState } from "./ready.mjs";
import { giveToOwner } from "./root-user.mjs";
import { runInherited } from "./run.mjs";
import { checkSupported } from "./supported.mjs";

/**
 * @param {{
 *   checkout: string,
 *   env: NodeJS.ProcessEnv,
 *   cwd: string,
 *   needs: readonly ("python" | "bundle" | "tests")[],
 * }} options
 * @returns {Promise<{ bun: string }>}
 */
export async function setUp({ checkout, env, cwd, needs }) {
  const before = performance.now();
  checkSupported({ platform: process.platform, node: process.versions.node });
  const { modules, dist } = checkoutPaths(checkout);
  const bun = await installPackages(checkout, { env, tests: needs.includes("tests") });

  const python = needs.includes("python")
    ? knownPythonState(checkout, { env, cwd, now: Date.now() })
    : undefined;
  const missing = needs.filter(
    (need) =>
      need === "tests" ||
      (need === "python" && python === undefined) ||
      // Where the user may not write, omp runs from the sources.
      (need === "bundle" && !bundleIsFresh(checkout) && canWrite(dist)),
  );
  // One line at every start: the reasons were shown when it failed.
  if (python?.status === "failed") say(python.advice);
  if (env["PI_DEBUG_STARTUP"] === "1") {
    say(
      `checked in ${(performance.now() - before).toFixed(1)} ms; to do: ${missing.join(", ") || "nothing"}`,
    );
  }
  if (missing.length === 0) return { bun };

  const argv = [bun, "--no-env-file", join(checkout, "scripts", "prepare.ts"), cwd, ...missing];
  // Otherwise Bun would keep a cache of compiled sources in the user's home.
  const quiet = { ...env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const { exitCode, signal } = await runInherited(argv, { cwd: checkout, env: quiet });
  giveToOwner(checkout, [dist, modules]);
  if (signal === "SIGINT" || exitCode === 130) throw new SetupError("interrupted", 130);
  if (exitCode !== 0)
    throw new SetupError(`scripts/prepare.ts ended with ${signal ?? `exit code ${exitCode}`}`);
  return { bun };
}

/** @returns {Promise<string>} Bun */
async function installPackages(checkout, { env, tests }) {
  const isDone = () => dependenciesAreCurrent(checkout, { tests }) && findBun(checkout) !== undefined;
  if (!isDone()) {
    const { modules } = checkoutPaths(checkout);
    if (!canWrite(checkout) || !canWrite(modules)) {
      const { uid } = statSync(checkout);
      throw new SetupError(
        `${checkout} is not set up, and you cannot write there; have its owner run 'npm start' there once (user ${uid}) (EACCES)`,
      );
    }
    await whileLocked(join(checkout, ".omp-setup.lock"), async ({ noteChild, directory }) => {
      // The previous owner of the lock may have done it.
      if (!isDone())
        await installDependencies(checkout, { env, tests, scratch: directory, onChild: noteChild });
    });
    giveToOwner(checkout, [modules]);
  }
  const bun = findBun(checkout);
  if (bun !== undefined) return bun;
  throw new SetupError(
    `npm has no Bun for ${process.platform}-${process.arch}; omp runs on linux and darwin, x64 and arm64 (NO_BUN)`,
  );
}

/** Shows the message of a SetupError, which is for the user; anything else is a bug. */
export function report(error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
