/** Makes the environments that tests run against. Resolves with false when one is missing that must not be. */

import { existsSync } from "node:fs";
import { failureReport } from "../src/modes/setup-report.ts";
import {
  EnvironmentError,
  ensureEnvironment,
  environmentIsCurrent,
  readEnvironment,
} from "../src/runtime/managed-environment.ts";
import type { PreparePlace } from "./prepare-python.ts";
import { testEnvironmentPlans } from "./test-environments.ts";

export async function prepareTestEnvironments({ root, env, signal, say }: PreparePlace): Promise<boolean> {
  const onCi = env["CI"] === "true";
  let complete = true;
  for (const plan of testEnvironmentPlans(root, { env, signal, onProgress: say })) {
    if (environmentIsCurrent(plan)) continue;
    const old = readEnvironment(plan.target);
    try {
      // One that is a little old tests more than one that is borrowed.
      await ensureEnvironment({ ...plan, borrow: plan.borrow && old === undefined });
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      say(failureReport(error, { platform: process.platform, fileExists: existsSync }));
      if (old !== undefined) say(`${plan.target} is kept as it was`);
      else if (!onCi) say("tests that need it are skipped");
      complete = false;
    }
  }
  return complete || !onCi;
}
