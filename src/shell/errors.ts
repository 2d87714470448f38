/** Trouble with the shell itself, not with what a command did in it. */

import { OmpError } from "../protocol/index.ts";

export type ShellErrorKind = "not-found" | "failed" | "closed" | "too-many" | "bad-filter";

export class ShellError extends OmpError {
  readonly kind: ShellErrorKind;

  constructor(kind: ShellErrorKind, parts: { issue: string; code: string }, options?: { cause?: unknown }) {
    // The one who filters is bash_output.
    super({ operation: kind === "bad-filter" ? "bash_output" : "bash", ...parts }, options);
    this.kind = kind;
  }
}
