/** What goes wrong with a model, as one line that names the provider and what to do about it, and never a key. */

import { OmpError } from "../protocol/error.ts";

export type ModelErrorKind =
  | "auth"
  | "unknown-model"
  | "unreachable"
  | "rate-limited"
  | "overloaded"
  | "context-overflow"
  | "bad-request"
  | "broken-stream"
  | "no-model"
  | "bad-script"
  | "script-ended";

const codes: Readonly<Record<ModelErrorKind, string>> = {
  auth: "AUTH",
  "unknown-model": "UNKNOWN_MODEL",
  unreachable: "UNREACHABLE",
  "rate-limited": "RATE_LIMITED",
  overloaded: "OVERLOADED",
  "context-overflow": "CONTEXT_OVERFLOW",
  "bad-request": "BAD_REQUEST",
  "broken-stream": "BROKEN_STREAM",
  "no-model": "NO_MODEL",
  "bad-script": "BAD_SCRIPT",
  "script-ended": "SCRIPT_ENDED",
};

export interface ModelErrorParts {
  readonly kind: ModelErrorKind;
  readonly issue: string;
  /** The HTTP status, where the provider answered with one. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

export class ModelError extends OmpError {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;

  constructor({ kind, issue, status, cause }: ModelErrorParts) {
    super({ operation: "model", issue, code: codes[kind] }, { cause });
    this.kind = kind;
    this.status = status;
  }
}
