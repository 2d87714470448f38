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
  /** `uri`: of the resource that it is the text of. */
  | { readonly type: "text"; readonly text: string; readonly uri?: string }
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
  /** The time until the returned function is called does not count: the user is being asked. */
  readonly holdTime?: (() => () => void) | undefined;
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

export interface McpPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** A text that a server writes for the user to send. */
export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
}

export interface McpPromptMessage {
  readonly role: "user" | "assistant";
  readonly content: McpContent;
}

/** What a server can give to read, or a form of addresses that it can: `demo://text/{id}`. */
export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly description: string;
}

/** One thing that a server wants to know. */
export interface McpField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Offered as the answer; undefined where there is none. */
  readonly initial: McpValue | undefined;
  /** The answers to choose from; none where one is written. */
  readonly choices: readonly { readonly value: McpValue; readonly label: string }[];
  /** Several may be chosen. */
  readonly isMany: boolean;
  /** The value of what was written. */
  read(text: string): { readonly value: McpValue } | { readonly problem: string };
  /** Why the value is none that the server takes; undefined when it is one. */
  check(value: McpValue): string | undefined;
}

export type McpValue = string | number | boolean | string[];

/** A server asks the user, in the middle of a call. */
export type McpQuestion = { readonly server: string; readonly message: string } & (
  | { readonly kind: "form"; readonly fields: readonly McpField[] }
  /** What the server needs is entered in a browser, at its address. */
  | { readonly kind: "url"; readonly url: string }
);

export type McpAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, McpValue>> }
  | { readonly action: "decline" | "cancel" };

/** @param signal nobody waits for the answer any more. */
export type McpElicit = (question: McpQuestion, signal: AbortSignal) => Promise<McpAnswer>;

export type McpState = "idle" | "connecting" | "ready" | "failed";

export interface McpServerStatus {
  readonly name: string;
  readonly origin: McpOrigin;
  readonly target: string;
  readonly state: McpState;
  /** Why it failed, as one line. */
  readonly problem: string | undefined;
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  readonly hasResources: boolean;
  /** The last messages that it has sent for a log. */
  readonly log: readonly string[];
}

/** What a login has left, as the authorization server gave it. */
export interface McpLogin {
  /** omp, as registered there. */
  readonly client?: unknown;
  readonly tokens?: unknown;
  /** What the tokens were not enough for: the next login asks for it. */
  readonly scope?: string | undefined;
}

export interface McpLoginStore {
  read(): McpLogin;
  save(login: McpLogin): void;
}
