/**
 * The one shape of an error line, for people and models alike:
 *
 *   exec: python3 not found in PATH (ENOENT)
 *   ^operation ^issue                ^code
 *
 * Owns the wording only. Every folder that can fail has its own subclass (`KernelError`, `ConfigError`, …),
 * whose `kind` tells callers what to do about it.
 */

/** What went wrong, before it is put into one line. */
export interface ErrorParts {
  readonly operation: string;
  readonly issue: string;
  readonly code: string;
}

export function errorLine({ operation, issue, code }: ErrorParts): string {
  const oneLine = issue.replace(/\s*[\r\n]+\s*/g, " ").trim();
  return `${operation}: ${oneLine} (${code})`;
}

/** An error that a person or a model can act on: its message is already the one line to show. */
export class OmpError extends Error implements ErrorParts {
  readonly operation: string;
  readonly issue: string;
  readonly code: string;

  constructor(parts: ErrorParts, options?: { readonly cause?: unknown }) {
    super(errorLine(parts), options);
    this.name = new.target.name;
    this.operation = parts.operation;
    this.issue = parts.issue;
    this.code = parts.code;
  }
}

/** The code of an error kind: `unknown-key` → `UNKNOWN_KEY`. */
export function codeOf(kind: string): string {
  return kind.toUpperCase().replaceAll("-", "_");
}

/** The system's own code (`ENOENT`, `EACCES`, …) of a thrown value, where it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** For `catch`, where a refusal of the system changes nothing: undefined for one, and throws all else, which is a bug. */
export function ignoreSystemError(error: unknown): undefined {
  if (systemCode(error) === undefined) throw error;
}

/** What the action returns; undefined where the system refuses it. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    return ignoreSystemError(error);
  }
}
