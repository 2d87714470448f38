/** `npm start -- <args>`: sets up what is missing, then runs omp in the user's directory. */

import { checkoutPaths, root } from "./lib/checkout.mjs";
import { environmentOfUser } from "./lib/root-user.mjs";
import { endLike, runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";

// npm changes to the checkout; this variable has the directory that the user ran it in.
const cwd = process.env["INIT_CWD"] ?? process.cwd();

try {
  const env = environmentOfUser(process.env);
  await setUp({ checkout: root, env, cwd, needs: ["python", "bundle"] });
  endLike(await runInherited([checkoutPaths(root).launcher, ...process.argv.slice(2)], { cwd, env }));
} catch (error) {
  report(error);
}
