/** Makes the environments that tests run against. Resolves with false when one is missing that must not be. */

import { existsSync } from "node:fs";
import { failureReport } from "../src/commands/setup-report.ts";
import {
  EnvironmentError,
  type EnvironmentPlan,
  ensureEnvironment,
  environmentIsCurrent,
  readEnvironment,
} from "../src/python/managed-environment.ts";
import type { PreparePlace } from "./prepare-python.ts";
import { testEnvironmentPlans } from "./test-environments.ts";

export async function prepareTestEnvironments(place: PreparePlace): Promise<boolean> {
  const { root, env, signal, say } = place;
  // All at once: pip waits for the network as long as it works.
  const plans = testEnvironmentPlans(root, { env, signal, onProgress: say });
  const made = await Promise.all(plans.map((plan) => prepareOne(plan, place)));
  return made.every(Boolean) || env["CI"] !== "true";
}

async function prepareOne(plan: EnvironmentPlan, { env, say }: PreparePlace): Promise<boolean> {
  if (environmentIsCurrent(plan)) return true;
  const old = readEnvironment(plan.target);
  try {
    // One that is a little old tests more than one that is borrowed.
    await ensureEnvironment({ ...plan, borrow: plan.borrow && old === undefined });
    return true;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    say(failureReport(error, { platform: process.platform, fileExists: existsSync }));
    if (old !== undefined) say(`${plan.target} is kept as it was`);
    else if (env["CI"] !== "true") say("tests that need it are skipped");
    return false;
  }
}
