/**
 * Ends what a kernel is running, more firmly step by step. Code that holds the GIL hears neither of the first two, code that
 * swallows KeyboardInterrupt may hear the second; nothing survives the third, and its caller then has to say that the
 * kernel's state is gone.
 */

import { killGroup } from "../../process/group.ts";
import { within } from "../../process/within.ts";

/** From the first request to the kill: 5 s, which leaves a caller with a limit of 8 s the time to start a new kernel. */
const AFTER_REQUEST_MS = 2_000;
const AFTER_SIGINT_MS = 3_000;

export interface Interruptible {
  readonly pid: number;
  /** Sends `interrupt_request` on the control channel. */
  requestInterrupt(): void;
  /** Settles when the running code has ended, or the kernel has. */
  readonly ended: Promise<void>;
}

export type InterruptStep = "interrupt_request" | "SIGINT" | "SIGKILL";

/** Resolves with the step that did it. */
export async function interruptFirmly(target: Interruptible): Promise<InterruptStep> {
  target.requestInterrupt();
  if (await within(target.ended, AFTER_REQUEST_MS)) return "interrupt_request";
  killGroup(target.pid, "SIGINT");
  if (await within(target.ended, AFTER_SIGINT_MS)) return "SIGINT";
  killGroup(target.pid, "SIGKILL");
  await target.ended;
  return "SIGKILL";
}
