/** What goes wrong between omp and an MCP server, as the one line to show. */

import { codeOf, OmpError } from "../protocol/error.ts";

export type McpErrorKind =
  /** It could not be started or reached, or did not answer as a server does. */
  | "not-connected"
  | "timeout"
  | "cancelled"
  /** The connection ended while an answer was awaited. */
  | "connection-lost"
  /** The server's own word for what is wrong with a request. */
  | "server-error";

export class McpError extends OmpError {
  readonly kind: McpErrorKind;

  constructor(kind: McpErrorKind, server: string, issue: string, options?: { readonly cause?: unknown }) {
    super({ operation: `mcp ${server}`, issue, code: codeOf(kind) }, options);
    this.kind = kind;
  }
}
