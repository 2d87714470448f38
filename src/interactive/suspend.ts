/** Ctrl+Z: the whole job stops, and goes on when the shell says so. */

import { within } from "../async/within.ts";

/** Where no shell could let it go on, the kernel of the system does not stop it: then it just goes on. */
const NOT_STOPPED_MS = 200;

/** Resolves when omp goes on. The terminal must be the shell's meanwhile. */
export async function suspendJob(): Promise<void> {
  const { promise: resumed, resolve } = Promise.withResolvers<void>();
  process.once("SIGCONT", resolve);
  // The group, as the terminal would do it: a launcher or a pipe that belongs to omp stops with it.
  process.kill(0, "SIGTSTP");
  await within(resumed, NOT_STOPPED_MS);
  process.off("SIGCONT", resolve);
}
