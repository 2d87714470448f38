/** omp, a kernel or a copy of it that waits is killed in a session that goes back to an earlier prompt, all of it decided by a seed. */

import type { FaultPlace } from "../faults/fault-home.ts";
import { chance } from "../support/chance.ts";
import { runKernelKill } from "./kernel-kills.ts";
import { runOmpKill } from "./omp-kills.ts";

export type RewindVictim = "omp" | "kernel" | "checkpoint";

export interface RewindKill {
  /** False when the run was over before, or there was nothing to kill. */
  readonly isStruck: boolean;
  readonly problems: readonly string[];
}

export async function runRewindKill(
  seed: number,
  place: FaultPlace,
): Promise<RewindKill & { readonly victim: RewindVictim }> {
  const dice = chance(seed);
  // The first values of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip += 1) dice.below(2);
  const victim = dice.pick(["omp", "kernel", "checkpoint"] as const);
  const run = victim === "omp" ? runOmpKill(dice, place) : runKernelKill(victim, dice, place);
  return { victim, ...(await run) };
}
