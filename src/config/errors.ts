/** Errors in settings and environment variables; the message is the line to show. */

import { codeOf, OmpError } from "../protocol/error.ts";

export type ConfigErrorKind =
  | "unknown-key"
  | "duplicate-key"
  | "invalid-value"
  | "syntax-error"
  | "unreadable"
  | "unwritable";

/** Line and column count from 1, as in editors. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ConfigErrorParts {
  readonly kind: ConfigErrorKind;
  readonly issue: string;
  /** The operating system's error code, for the two kinds that have one; otherwise made from the kind. */
  readonly code?: string | undefined;
  /** `settings` by default. */
  readonly operation?: string;
  /** The setting concerned, dotted. */
  readonly key?: string | undefined;
  readonly position?: FilePosition | undefined;
  readonly cause?: unknown;
}

export class ConfigError extends OmpError {
  readonly kind: ConfigErrorKind;
  readonly key: string | undefined;
  readonly position: FilePosition | undefined;

  constructor(parts: ConfigErrorParts) {
    const { operation = "settings", issue, kind, code = codeOf(kind), cause } = parts;
    super({ operation, issue, code }, { cause });
    this.kind = kind;
    this.key = parts.key;
    this.position = parts.position;
  }
}

export function positionText({ file, line, column }: FilePosition): string {
  return `${file}:${line}:${column}`;
}

/** What a terminal would act on or hide: controls, bidirectional overrides, what has no width. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** In single quotes, with hidden characters escaped: text from a file must not control the terminal. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `'${escaped.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)}'`;
}

/** A file's name in a list: quoted where it would not be what it looks like, such as two lines. */
export function shownName(name: string): string {
  return name.search(HIDDEN) === -1 ? name : quoted(name);
}
