/** What goes wrong with settings and the variables beside them, as errors whose message is the line to show. */

import { OmpError } from "../protocol/error.ts";

export type ConfigErrorKind =
  | "unknown-key"
  | "duplicate-key"
  | "invalid-value"
  | "syntax"
  | "unreadable"
  | "unwritable";

/** A spot in a settings file; line and column count from 1, as editors do. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ConfigErrorParts {
  readonly kind: ConfigErrorKind;
  readonly issue: string;
  /** The system's code, for the two kinds that have one. */
  readonly code?: string | undefined;
  /** Who complains: `settings` unless told. */
  readonly operation?: string;
  /** The setting it is about, dotted. */
  readonly key?: string | undefined;
  readonly position?: FilePosition | undefined;
  readonly cause?: unknown;
}

const codes: Readonly<Record<ConfigErrorKind, string>> = {
  "unknown-key": "UNKNOWN_KEY",
  "duplicate-key": "DUPLICATE_KEY",
  "invalid-value": "INVALID_VALUE",
  syntax: "SYNTAX_ERROR",
  unreadable: "UNREADABLE",
  unwritable: "UNWRITABLE",
};

export class ConfigError extends OmpError {
  readonly kind: ConfigErrorKind;
  readonly key: string | undefined;
  readonly position: FilePosition | undefined;

  constructor(parts: ConfigErrorParts) {
    super(
      { operation: parts.operation ?? "settings", issue: parts.issue, code: parts.code ?? codes[parts.kind] },
      { cause: parts.cause },
    );
    this.kind = parts.kind;
    this.key = parts.key;
    this.position = parts.position;
  }
}

export function positionText({ file, line, column }: FilePosition): string {
  return `${file}:${line}:${column}`;
}

/** A name or word in single quotes. What came from a file may hold control characters, which no terminal should get. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`;
}
