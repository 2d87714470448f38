/** Whether the shared gateway can still open what a kernel needs. It does not say so itself: it only keeps waiting. */

import { descriptorLimit, openDescriptors } from "../../../process/proc.ts";
import { KERNEL_DESCRIPTORS, KernelError } from "../../errors.ts";
import type { GatewayRecord } from "./record.ts";

/** What the gateway itself opens for one kernel. */
const FOR_ONE_KERNEL = 16;

/** Throws KernelError. */
export function requireDescriptors({ pid }: GatewayRecord): void {
  const limit = descriptorLimit(pid);
  if (limit === undefined) return;
  const open = openDescriptors(pid) ?? 0;
  // Its kernels have the same limit.
  if (limit < KERNEL_DESCRIPTORS)
    throw full(
      `may open only ${limit} files, and a kernel needs ${KERNEL_DESCRIPTORS}; raise the limit (ulimit -n)`,
    );
  if (limit - open < FOR_ONE_KERNEL)
    throw full(`has ${open} of ${limit} files open, and no room for a kernel`);
}

function full(problem: string): KernelError {
  return new KernelError({ kind: "exhausted", issue: `the shared gateway ${problem}`, code: "EMFILE" });
}
