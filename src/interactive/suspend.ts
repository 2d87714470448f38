/** Ctrl+Z: the whole job stops, and goes on when the shell says so. */

/** Where no shell could let it go on, the kernel of the system does not stop it: then it just goes on. */
const NOT_STOPPED_MS = 200;

/** Resolves when omp goes on. The terminal must be the shell's meanwhile. */
export async function suspendJob(): Promise<void> {
  const { promise: goesOn, resolve } = Promise.withResolvers<void>();
  process.once("SIGCONT", resolve);
  const timer = setTimeout(resolve, NOT_STOPPED_MS);
  // The group, as the terminal would do it: a launcher or a pipe that belongs to omp stops with it.
  process.kill(0, "SIGTSTP");
  await goesOn;
  clearTimeout(timer);
  process.off("SIGCONT", resolve);
}
