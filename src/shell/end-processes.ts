/** Ends processes the polite way first: SIGINT, then SIGTERM, then SIGKILL, each only to what is left. */

import { type ProcessFacts, signalProcess } from "./processes.ts";

export interface Step {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

export const interruptSteps: readonly Step[] = [
  { signal: "SIGINT", graceMs: 1000 },
  { signal: "SIGTERM", graceMs: 1000 },
  { signal: "SIGKILL", graceMs: 500 },
];

export const terminateSteps: readonly Step[] = [
  { signal: "SIGTERM", graceMs: 1500 },
  { signal: "SIGKILL", graceMs: 500 },
];

/** Polled only while something is being ended: the end of a process that is not a child is not reported. */
const LOOK_MS = 15;

/**
 * @param left what still runs, asked again and again: what is being ended may start more.
 * @returns the last signal that was sent; undefined when nothing ran.
 */
export async function endProcesses(
  left: () => readonly ProcessFacts[],
  steps: readonly Step[],
): Promise<NodeJS.Signals | undefined> {
  let sent: NodeJS.Signals | undefined;
  for (const { signal, graceMs } of steps) {
    const end = performance.now() + graceMs;
    // By name, too: a signal that arrives between fork and exec can get lost in the copy of the shell.
    const signalled = new Set<string>();
    for (;;) {
      const members = left();
      if (members.length === 0) return sent;
      for (const { pid, name } of members) {
        const key = `${pid} ${name}`;
        // SIGKILL again and again is harmless; the others only once, or their handlers would be run again.
        if (signalled.has(key) && signal !== "SIGKILL") continue;
        signalled.add(key);
        if (!signalProcess(pid, signal)) continue;
        sent = signal;
        // A stopped process handles a signal only when it is resumed.
        signalProcess(pid, "SIGCONT");
      }
      if (performance.now() > end) break;
      await Bun.sleep(LOOK_MS);
    }
  }
  return sent;
}
