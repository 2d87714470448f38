/**
 * Ends what a kernel is running, more firmly step by step. Code that holds the GIL hears neither of the first two, code that
 * swallows KeyboardInterrupt may hear the second; nothing survives the third, and its caller then has to say that the
 * kernel's state is gone.
 */

import { within } from "../../async/within.ts";

const AFTER_REQUEST_MS = 2_000;

/** What a transport can do to a kernel beside sending it messages. */
export interface OutsideMeans {
  /** Interrupts without the kernel's help: a signal, or the gateway's own way to send one. */
  interruptOutside(): void;
  /** How long that may take to show its effect before the kernel is killed. */
  readonly patienceMs: number;
  /** Ends the kernel, whatever it does, so that its exchanges fail; or, where it is not ours to end, gives up the exchange that runs. */
  kill(): void;
  /**
   * Of a kernel that others use, too: gives up code that waits behind theirs, which an interrupt would end instead. With it a kernel
   * need not be free after an interrupt.
   */
  withdraw?(): void;
}

export interface Interruptible extends OutsideMeans {
  /** Sends `interrupt_request` on the control channel. */
  requestInterrupt(): void;
  /** Settles when the running code has ended, or the kernel has. */
  readonly ended: Promise<void>;
}

export type InterruptStep = "requested" | "interrupted outside" | "killed";

/** Resolves with the step that did it. */
export async function interruptFirmly(target: Interruptible): Promise<InterruptStep> {
  target.requestInterrupt();
  if (await within(target.ended, AFTER_REQUEST_MS)) return "requested";
  target.interruptOutside();
  if (await within(target.ended, target.patienceMs)) return "interrupted outside";
  target.kill();
  await target.ended;
  return "killed";
}
