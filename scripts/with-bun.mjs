/** `node scripts/with-bun.mjs <file.ts> [args]`: sets up what Bun itself needs, then runs the file on it. */

import { root } from "./lib/checkout.mjs";
import { environmentOfUser } from "./lib/root-user.mjs";
import { endLike, runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";

try {
  const env = environmentOfUser(process.env);
  const { bun } = await setUp({ checkout: root, env, cwd: process.cwd(), needs: [] });
  endLike(await runInherited([bun, "--no-env-file", ...process.argv.slice(2)], { cwd: root, env }));
} catch (error) {
  report(error);
}
