/** What keeps a sandbox from being made. A run that asked for one then stops: nothing is ever run without it instead. */

import { OmpError } from "../protocol/index.ts";

export class SandboxError extends OmpError {
  constructor(
    parts: { readonly issue: string; readonly code: string },
    options?: { readonly cause?: unknown },
  ) {
    super({ operation: "sandbox", ...parts }, options);
  }
}
