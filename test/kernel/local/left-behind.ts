/** What kernels left on the machine: nothing, if all is well. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestKernels } from "../../support/kernels.ts";
import { processesWith } from "../../support/processes.ts";

/** Files and directories below the base, except the directory that all omps of a user share. */
export function filesLeft(base: string): string[] {
  return readdirSync(base)
    .flatMap((shared) => readdirSync(join(base, shared)).map((name) => join(shared, name)))
    .sort();
}

export function processesLeft({ home }: Pick<TestKernels, "home">): number[] {
  return processesWith(`HOME=${home}`);
}
