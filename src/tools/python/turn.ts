/** A kernel that others use, too: waiting for the end of their code. */

import { untilAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import type { KernelHandle, PythonKernelOperations } from "../../kernel/kernel.ts";

/** Shorter waits are nobody's business. */
const QUIETLY_MS = 1_000;
const WAITING = "[waiting: other code runs in the kernel]\n";

export interface TurnOptions {
  readonly operations: PythonKernelOperations;
  readonly kernel: KernelHandle;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Shown while it waits, and not kept. */
  readonly onUpdate: (text: string) => void;
}

/** `free` at once where nobody else can run code. Throws `KernelError` when the kernel ends first. */
export async function untilTurn(options: TurnOptions): Promise<"free" | "busy" | "aborted"> {
  const { operations, kernel, limitMs, signal, onUpdate } = options;
  if (!operations.untilFree) return "free";
  let isFree = false;
  const free = operations.untilFree(kernel).then(() => {
    isFree = true;
  });
  const settled = untilAborted(free, signal);
  if (!(await within(settled, Math.min(QUIETLY_MS, limitMs)))) {
    onUpdate(WAITING);
    await within(settled, Math.max(0, limitMs - QUIETLY_MS));
  }
  if (isFree) return "free";
  return signal.aborted ? "aborted" : "busy";
}
