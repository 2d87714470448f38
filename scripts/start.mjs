/** `npm start -- <args>`: sets up what is missing, then runs omp in the directory that the user is in. */

import { places, root } from "./lib/checkout.mjs";
import { endLike, runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";

// npm changes into the checkout and says here where the user was.
const cwd = process.env["INIT_CWD"] ?? process.cwd();

try {
  await setUp({ checkout: root, env: process.env, cwd, needs: ["python", "bundle"] });
  endLike(await runInherited([places(root).launcher, ...process.argv.slice(2)], { cwd }));
} catch (error) {
  report(error);
}
