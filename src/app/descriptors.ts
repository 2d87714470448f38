/** How many files omp needs to be able to open. With fewer it would fail in the middle of something. */

import { descriptorLimit } from "../process/proc.ts";
import { OmpError } from "../protocol/index.ts";

const LEAST = 32;

/** Throws OmpError. */
export function requireDescriptors(): void {
  const limit = descriptorLimit(process.pid);
  if (limit === undefined || limit >= LEAST) return;
  const issue = `the limit on open files is ${limit}, and omp needs ${LEAST}; raise the limit: ulimit -n 1024`;
  throw new OmpError({ operation: "omp", issue, code: "EMFILE" });
}
