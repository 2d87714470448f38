/** What the pool says about kernels that are gone, in sentences for the model. */

import { describeEnd, KernelError } from "../errors.ts";
import type { KernelExit } from "../kernel.ts";

export const GIVEN_UP = "It is not restarted automatically; call python with reset: true for a new one.";

/** Of a kernel whose end its own code had asked for: no crash. */
export const WANTED_EXIT = { endedBy: "code", reason: "exit() or quit()" } as const;

/** Why earlier state is gone, until it is reported. */
export interface Loss {
  readonly sentence: string;
  /** Of the kernel that held it, where it may turn out to be there still. */
  readonly kernelId: string | undefined;
}

export function lostSentence(what: string): string {
  return `The kernel ${what}. A new one was started: all variables, imports and other state are gone.`;
}

/** For an existing kernel: omp has started nothing. */
export function borrowedLost(what: string): string {
  return `The kernel ${what}. Its owner has restarted it, and omp now uses the new one: all variables, imports and other state are gone.`;
}

export function borrowedGone(what: string): string {
  return `The kernel ${what}. All variables, imports and other state are gone. omp did not start it and does not replace it: ask the user to start it again, and the next call will use it.`;
}

export const BACK_AGAIN =
  "The connection to the kernel broke and was restored. It is the same kernel, with its state; whether this cell has ended there is not known.";

export function givenUpError(exit: KernelExit): KernelError {
  const issue = `the kernel ${describeEnd(exit, "again")}. ${GIVEN_UP}`;
  return new KernelError({ kind: "died", issue, code: "KERNEL_GIVEN_UP" });
}

/**
 * What Python itself says of a crash: the fatal error, and where in the user's code it happened. The frames below that are IPython's
 * own, and other words on stderr are not about it.
 */
export function crashReport(lastWords = ""): string | undefined {
  const start = lastWords.lastIndexOf("Fatal Python error");
  if (start < 0) return undefined;
  const lines = lastWords.slice(start).split("\n");
  const own = lines.findIndex((line) => line.includes("IPython/core/interactiveshell.py"));
  return lines
    .slice(0, own < 0 ? MAX_REPORT_LINES : Math.min(own, MAX_REPORT_LINES))
    .join("\n")
    .trim();
}

const MAX_REPORT_LINES = 40;
