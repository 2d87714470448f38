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

export function shellClosedError(): ShellError {
  return new ShellError("closed", { issue: "the session's shell is closed", code: "CLOSED" });
}

export function shellLostError(): ShellError {
  return new ShellError("failed", { issue: "a new shell could not be started", code: "SHELL_LOST" });
}
