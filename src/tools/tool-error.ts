/** A problem that is reported to the model: it ends the call before, or instead of, a run, and never the session. */

import { type ErrorParts, OmpError, type ToolDetails, type ToolResult } from "../protocol/index.ts";

export class ToolError extends OmpError {
  readonly details: ToolDetails;

  constructor(parts: ErrorParts, options: { cause?: unknown; details?: ToolDetails } = {}) {
    super(parts, { cause: options.cause });
    this.details = options.details ?? {};
  }
}

/** The result that an error makes: its line, and the facts for scripts. */
export function errorResult(error: OmpError): ToolResult {
  const details = error instanceof ToolError ? error.details : {};
  const facts = { success: false, error: error.message, code: error.code };
  const cancelled = error.code === "CANCELLED" ? { cancelled: true } : {};
  return { isError: true, output: error.message, details: { ...details, ...facts, ...cancelled } };
}
