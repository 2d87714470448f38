/** Why a kernel could not do what was asked. What the user's code did (an exception, a timeout) is an outcome, never one of these. */

import { OmpError } from "../protocol/index.ts";
import type { KernelExit } from "./kernel.ts";

export type KernelErrorKind =
  /** It never became ready: its process ended, or the time limit passed. */
  | "start-failed"
  /** It was ready, and then its process ended. */
  | "died"
  /** We shut it down while a caller still waited for it. */
  | "closed"
  /** The gateway cannot be used: unreachable, not a gateway, or it refuses access. */
  | "gateway"
  /** The machine has no descriptors or processes left, or the gateway no room for another kernel. */
  | "exhausted"
  /** Other code runs in it. */
  | "busy"
  /** This build or this platform cannot do it. */
  | "unsupported";

export class KernelError extends OmpError {
  readonly kind: KernelErrorKind;

  constructor(
    parts: { readonly kind: KernelErrorKind; readonly issue: string; readonly code: string },
    options?: { readonly cause?: unknown },
  ) {
    super({ operation: "python", issue: parts.issue, code: parts.code }, options);
    this.kind = parts.kind;
  }
}

export function kernelClosedError(issue = "omp is ending"): KernelError {
  return new KernelError({ kind: "closed", issue, code: "KERNEL_CLOSED" });
}

/** For a call that the code of a kernel makes, and that needs the same kernel. */
export function kernelWaitsError(): KernelError {
  const issue =
    "the cell that makes this call runs in the same kernel, which runs one cell at a time; run the code in the cell itself";
  return new KernelError({ kind: "busy", issue, code: "KERNEL_BUSY" });
}

/** How a kernel ended, as a clause that follows "the kernel". @param when such as "between two calls". */
export function describeEnd(
  { reason, endedBy }: Pick<KernelExit, "reason" | "endedBy">,
  when?: "between two calls" | "again",
): string {
  const verb = endedBy === undefined || endedBy === "gateway" ? "died" : `was ended by ${enders[endedBy]}`;
  return `${verb}${when === undefined ? "" : ` ${when}`}: ${reason}`;
}

const enders = { omp: "omp", user: "the user", code: "its own code" };

/** A first start makes the user's IPython directory: Python names the file that it could not write, after the one it was copied from. */
const NO_ROOM = /\[Errno (?:28|122)\].*'([^']+)'$/;

/** What a kernel has open when it is ready, and some to work with: one that may open fewer files does not start. */
export const KERNEL_DESCRIPTORS = 80;

/** For a kernel that ended before it was ready. */
export function kernelStartError({ reason, isExhausted, lastWords }: KernelExit): KernelError {
  if (isExhausted) {
    const issue =
      "no room for another kernel: it is not allowed to open as many files as it needs; raise the limit (ulimit -n)";
    return new KernelError({ kind: "exhausted", issue, code: "EMFILE" }, { cause: lastWords });
  }
  const lastLine = lastWords?.trim().split("\n").at(-1);
  const file = NO_ROOM.exec(lastLine ?? "")?.[1];
  const [issue, code] =
    file === undefined
      ? [`the kernel ended while starting: ${reason}${lastLine ? `: ${lastLine}` : ""}`, "KERNEL_START"]
      : [
          `the kernel cannot start: the disk is full, so '${file}' cannot be written; free some space, or set IPYTHONDIR to a directory on another disk`,
          "ENOSPC",
        ];
  return new KernelError({ kind: "start-failed", issue, code }, { cause: lastWords });
}
