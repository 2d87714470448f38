/** What can go wrong with sessions on disk. */

import { OmpError } from "../protocol/index.ts";

export type SessionErrorKind = "not-found" | "ambiguous" | "in-use" | "unreadable" | "unwritable";

export class SessionError extends OmpError {
  readonly kind: SessionErrorKind;

  constructor(
    parts: { readonly kind: SessionErrorKind; readonly issue: string; readonly code: string },
    options?: { readonly cause?: unknown },
  ) {
    super({ operation: "session", issue: parts.issue, code: parts.code }, options);
    this.kind = parts.kind;
  }
}
