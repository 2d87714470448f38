/** Why a kernel could not do what was asked. What the user's code did (an exception, a timeout) is an outcome, never one of these. */

import { OmpError } from "../protocol/index.ts";

export type KernelErrorKind =
  /** It never became ready: the process ended, or the time was over. */
  | "start-failed"
  /** It was ready, and then its process ended. */
  | "died"
  /** It was shut down by us while somebody still waited for it. */
  | "closed"
  /** The gateway cannot be used: unreachable, not a gateway, or it does not let us in. */
  | "gateway"
  /** The machine has no descriptors or processes left, or the gateway no room for another kernel. */
  | "exhausted"
  /** Code of somebody else runs in it. */
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
