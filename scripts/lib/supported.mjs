/** Imported first: says plainly where omp cannot run at all. */

import { SetupError } from "./checkout.mjs";

const OLDEST_NODE = 20;

/** @param {{ platform: string, node: string }} machine */
export function checkSupported({ platform, node }) {
  if (platform === "win32") {
    throw new SetupError("omp does not run on Windows; run it in WSL2 (WINDOWS)");
  }
  if (Number.parseInt(node, 10) < OLDEST_NODE) {
    throw new SetupError(`Node ${node} is too old; install Node ${OLDEST_NODE} or newer (OLD_NODE)`);
  }
}
