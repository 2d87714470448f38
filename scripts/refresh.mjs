/** Called by bin/omp in a checkout when npm packages are missing or the bundle is older than the sources, as after `git pull`. */

import { root } from "./lib/checkout.mjs";
import { environmentOfUser } from "./lib/root-user.mjs";
import { report, setUp } from "./lib/set-up.mjs";

try {
  const env = environmentOfUser(process.env);
  await setUp({ checkout: root, env, cwd: process.cwd(), needs: ["bundle"] });
} catch (error) {
  report(error);
}
