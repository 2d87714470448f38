/** MCP servers: how one is defined, and what the rest of omp knows of one that is connected. */

import type { InputCheck, JsonSchema } from "./tool.ts";

/** Which file names the server: the user's settings, the user's list of servers, or the project's `.mcp.json`. */
export type McpOrigin = "settings" | "user" | "project";

export interface McpStdioEndpoint {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Only these, beside what every program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface McpHttpEndpoint {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpServerDefinition {
  readonly name: string;
  readonly origin: McpOrigin;
  /** Undefined when the definition cannot be used. */
  readonly endpoint: McpStdioEndpoint | McpHttpEndpoint | undefined;
  /** Why not, in words that follow the server's name. */
  readonly problem?: string | undefined;
  /** What is started or reached, as written: variables are not filled in, so no secret is shown. */
  readonly target: string;
}

/** One part of a result. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string }
  /** What cannot be shown, in words. */
  | { readonly type: "note"; readonly text: string };

export interface McpResult {
  readonly isError: boolean;
  readonly content: readonly McpContent[];
  /** As the tool's output schema says. */
  readonly structured?: unknown;
}

export interface McpCallOptions {
  readonly signal: AbortSignal;
  /** A line about how far the call is. */
  readonly onProgress: (line: string) => void;
}

/** A tool of a server. */
export interface McpTool {
  readonly server: string;
  /** As the server calls it. */
  readonly name: string;
  /** `mcp__server__tool`, in characters and a length that every provider accepts. */
  readonly fullName: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** The server says so, and the user has chosen the server. */
  readonly isReadOnly: boolean;
  check(raw: unknown): InputCheck<Readonly<Record<string, unknown>>>;
  /** Connects first where the connection is gone. Throws McpError. */
  call(input: Readonly<Record<string, unknown>>, options: McpCallOptions): Promise<McpResult>;
}

export type McpState = "idle" | "connecting" | "ready" | "failed";

export interface McpServerStatus {
  readonly name: string;
  readonly origin: McpOrigin;
  readonly target: string;
  readonly state: McpState;
  /** Why it failed, as one line. */
  readonly problem: string | undefined;
  readonly tools: readonly McpTool[];
}

/** What a login has left, as the authorization server gave it. */
export interface McpLogin {
  /** omp, as registered there. */
  readonly client?: unknown;
  readonly tokens?: unknown;
}

export interface McpLoginStore {
  read(): McpLogin;
  save(login: McpLogin): void;
}
