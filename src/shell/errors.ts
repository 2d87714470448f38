/** Trouble with the shell itself, not with what a command did in it. */

import { OmpError } from "../protocol/index.ts";

export type ShellErrorKind = "not-found" | "failed" | "closed" | "too-many";

export class ShellError extends OmpError {
  readonly kind: ShellErrorKind;

  constructor(kind: ShellErrorKind, parts: { issue: string; code: string }, options?: { cause?: unknown }) {
    super({ operation: "bash", ...parts }, options);
    this.kind = kind;
  }
}
