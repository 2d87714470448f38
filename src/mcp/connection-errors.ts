/** What the SDK throws → the one line to show. */

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { OmpError } from "../protocol/index.ts";
import { McpError } from "./errors.ts";

const UNAUTHORIZED = 401;
/** Of what is wrong with an answer: the SDK lists all of it. */
const MAX_CHARS = 300;

export interface ConnectFacts {
  readonly startTimeoutMs: number;
  /** How the server's program ended, if it has. */
  readonly ending: () => string | undefined;
}

export function connectError(
  server: string,
  error: unknown,
  { startTimeoutMs, ending }: ConnectFacts,
): McpError {
  const needsLogin = error instanceof SdkHttpError && error.status === UNAUTHORIZED;
  if (needsLogin) {
    const issue = `the server answered 401; it needs a header, or: omp mcp login ${server}`;
    return new McpError("not-connected", server, issue, { cause: error });
  }
  const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
  // A program that has answered was ended by omp: its own end says nothing.
  const ended = hasAnswered(error) ? undefined : ending();
  const why = isLate ? `did not answer within ${startTimeoutMs / 1_000} s` : (ended ?? messageOf(error));
  return new McpError("not-connected", server, why, { cause: error });
}

/** What it answered cannot be used. */
function hasAnswered(error: unknown): boolean {
  return (
    error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
  );
}

export function requestError(server: string, error: unknown): OmpError {
  if (error instanceof OmpError) return error;
  if (error instanceof ProtocolError)
    return new McpError("server-error", server, error.message.replace(/^MCP error -?\d+: /, ""), {
      cause: error,
    });
  if (!(error instanceof SdkError))
    return new McpError("connection-lost", server, messageOf(error), { cause: error });
  const kind = error.code === SdkErrorCode.ConnectionClosed ? "connection-lost" : "server-error";
  return new McpError(kind, server, error.message, { cause: error });
}

export function timeoutError(server: string, limitMs: number): McpError {
  return new McpError("timeout", server, `no answer within ${limitMs / 1_000} s (setting mcp.timeout)`);
}

function messageOf(error: unknown): string {
  if (error instanceof SdkHttpError)
    return `the server answered ${error.status} ${error.statusText ?? ""}`.trim();
  const message = error instanceof Error ? error.message : String(error);
  return message.length > MAX_CHARS ? `${message.slice(0, MAX_CHARS)}…` : message;
}
