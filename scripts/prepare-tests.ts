/** Makes the environments that tests run against. Resolves with false when a required one is missing. */

import { rmSync } from "node:fs";
import { failureReport } from "../src/commands/setup-report.ts";
import {
  ensureEnvironment,
  environmentIsCurrent,
  readEnvironment,
} from "../src/python/managed-environment.ts";
import { EnvironmentError } from "../src/python/managed-environment-errors.ts";
import type { Preparation } from "./prepare-python.ts";
import { type TestEnvironmentPlan, testEnvironmentPlans } from "./test-environments.ts";
import { ensureUv, uvCache } from "./test-uv.ts";

export async function prepareTestEnvironments(preparation: Preparation): Promise<boolean> {
  const { root, env, signal, say } = preparation;
  const options = { env, signal, onProgress: say };
  if (testEnvironmentPlans(root, options).every(environmentIsCurrent)) return true;
  const plans = testEnvironmentPlans(root, { ...options, uv: await ensureUv(root, options) });
  // All at once: installers spend as much time waiting for the network as working.
  const made = await Promise.all(plans.map((plan) => prepareOne(plan, preparation)));
  rmSync(uvCache(root), { recursive: true, force: true });
  return made.every(Boolean) || env["CI"] !== "true";
}

async function prepareOne(plan: TestEnvironmentPlan, { env, say }: Preparation): Promise<boolean> {
  if (environmentIsCurrent(plan)) return true;
  const old = readEnvironment(plan.target);
  try {
    // An outdated environment tests more than a borrowed one.
    await ensureEnvironment({ ...plan, borrow: plan.borrow && old === undefined });
    return true;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    if (plan.isOptional && old === undefined) {
      say(
        `${plan.label}: ${error.tried.at(-1)?.problem ?? error.issue}; the tests that need it are left out`,
      );
      return true;
    }
    say(failureReport(error));
    if (old !== undefined) say(`${plan.target} is unchanged`);
    else if (env["CI"] !== "true") say("tests that need it are skipped");
    return plan.isOptional ?? false;
  }
}
