/** Model errors, as one line that names the provider and what to do, and never shows a key. */

import { codeOf, OmpError } from "../protocol/error.ts";

export type ModelErrorKind =
  | "auth"
  | "unknown-model"
  | "unreachable"
  | "rate-limited"
  | "overloaded"
  | "context-overflow"
  | "images-refused"
  | "bad-request"
  | "broken-stream"
  | "no-model"
  | "bad-script"
  | "script-ended";

export interface ModelErrorParts {
  readonly kind: ModelErrorKind;
  readonly issue: string;
  /** The HTTP status, if the provider answered with one. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

export class ModelError extends OmpError {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;

  constructor({ kind, issue, status, cause }: ModelErrorParts) {
    super({ operation: "model", issue, code: codeOf(kind) }, { cause });
    this.kind = kind;
    this.status = status;
  }
}
