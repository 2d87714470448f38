/** `node scripts/with-bun.mjs <file.ts> [args]`: sets up what Bun itself needs, then runs the file on it. */

import { checkoutPaths, root } from "./lib/checkout.mjs";
import { endLike, runInherited } from "./lib/run.mjs";
import { report, setUp } from "./lib/set-up.mjs";

try {
  await setUp({ checkout: root, env: process.env, cwd: process.cwd(), needs: [] });
  endLike(
    await runInherited([checkoutPaths(root).bun, "--no-env-file", ...process.argv.slice(2)], { cwd: root }),
  );
} catch (error) {
  report(error);
}
