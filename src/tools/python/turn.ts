/** Waiting for the code of other clients to end, in a kernel that they use as well. */

import { untilAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { ToolContext } from "../../protocol/index.ts";

/** Shorter waits are not shown. */
const QUIETLY_MS = 1_000;
const WAITING = "[waiting: other code runs in the kernel]\n";

/** `free` at once where no other client runs code. Throws `KernelError` when the kernel ends first. */
export async function waitForTurn(
  kernel: Kernel,
  limitMs: number,
  { signal, onUpdate }: Pick<ToolContext, "signal" | "onUpdate">,
): Promise<"free" | "busy" | "aborted"> {
  let isFree = false;
  const free = kernel.untilFree().then(() => {
    isFree = true;
  });
  const settled = untilAborted(free, signal);
  if (!(await within(settled, Math.min(QUIETLY_MS, limitMs)))) {
    // Shown while it waits, and not kept.
    onUpdate(WAITING);
    await within(settled, Math.max(0, limitMs - QUIETLY_MS));
  }
  if (isFree) return "free";
  return signal.aborted ? "aborted" : "busy";
}
