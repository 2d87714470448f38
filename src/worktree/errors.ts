/** What can go wrong with the project's files over time. */

import { OmpError } from "../protocol/index.ts";

/** `failed`: git could not do it. `slow`: it took longer than it may. `gone`: the snapshot is no longer kept. `blocked`: nothing was restored. */
export type WorktreeErrorKind = "failed" | "slow" | "gone" | "blocked";

export class WorktreeError extends OmpError {
  readonly kind: WorktreeErrorKind;

  constructor(
    parts: { readonly kind: WorktreeErrorKind; readonly issue: string; readonly code: string },
    options?: { readonly cause?: unknown },
  ) {
    super({ operation: "files", issue: parts.issue, code: parts.code }, options);
    this.kind = parts.kind;
  }
}
