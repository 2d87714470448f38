/** Runs a number of seeds, a few at a time, each in a directory of its own; what did not hold is told by its seed. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SeededRun {
  /** What was done to it. */
  readonly what: string;
  readonly problems: readonly string[];
}

const LANES = 2;

/** @param run one seed, in an empty directory. @returns how many did not hold. */
export async function runSeeds(
  { count, first }: { readonly count: number; readonly first: number },
  run: (seed: number, directory: string) => Promise<SeededRun>,
): Promise<number> {
  const base = mkdtempSync(join(tmpdir(), "omp-seeds-"));
  const done = new Map<string, number>();
  let next = first;
  let broken = 0;
  const lane = async () => {
    while (next < first + count) {
      const seed = next;
      next += 1;
      const directory = join(base, String(seed));
      const { what, problems } = await run(seed, directory);
      done.set(what, (done.get(what) ?? 0) + 1);
      if (problems.length > 0) {
        broken += 1;
        console.error(`seed ${seed} (${what}): ${problems.join("; ")}`);
      }
      rmSync(directory, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  rmSync(base, { recursive: true, force: true });
  for (const [what, times] of [...done].toSorted()) console.log(`  ${what}: ${times}`);
  return broken;
}
