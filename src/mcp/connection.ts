/** The connection to one server: opened in the background or by the first call, and opened again when it is gone. */

import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool as SdkTool,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { unlessAborted } from "../async/abort.ts";
import type { Confinement } from "../process/confinement.ts";
import type { Watchdog } from "../process/watchdog.ts";
import { OmpError } from "../protocol/index.ts";
import type {
  McpCallOptions,
  McpLoginStore,
  McpResult,
  McpServerDefinition,
  McpServerStatus,
  McpState,
  McpTool,
} from "../protocol/mcp.ts";
import { readResult } from "./content.ts";
import { McpError } from "./errors.ts";
import { inputCheck } from "./input-check.ts";
import { LoginProvider } from "./login-provider.ts";
import { progressLine } from "./progress.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { fullToolName } from "./tool-names.ts";

const UNAUTHORIZED = 401;

export interface ConnectionOptions {
  readonly version: string;
  /** What the programs of servers get beside the variables that they name. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly watchdog: Pick<Watchdog, "guardGroup">;
  /** Of the programs of servers; undefined where they run as omp itself does. */
  readonly confinement: () => Confinement | undefined;
  readonly startTimeoutMs: number;
  /** Without an answer or a sign of progress. */
  readonly callTimeoutMs: number;
  /** What the user's login to an address has left. */
  readonly loginTo: (url: string) => McpLoginStore;
  /** State or tools have changed. */
  readonly onChange: () => void;
}

export class McpConnection {
  readonly definition: McpServerDefinition;
  readonly #options: ConnectionOptions;
  #state: McpState = "idle";
  #problem: string | undefined;
  #tools: readonly McpTool[] = [];
  #opening: Promise<Client> | undefined;
  #client: Client | undefined;
  #isClosed = false;

  constructor(definition: McpServerDefinition, options: ConnectionOptions) {
    this.definition = definition;
    this.#options = options;
  }

  get status(): McpServerStatus {
    const { name, origin, target } = this.definition;
    return { name, origin, target, state: this.#state, problem: this.#problem, tools: this.#tools };
  }

  /** Throws McpError; the next use tries again. */
  connect(): Promise<Client> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      this.#problem = error instanceof OmpError ? error.message : String(error);
      this.#changeTo("failed");
      throw error;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Also one that has not answered yet: opening it fails then.
    await this.#client?.close();
  }

  async call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    { signal, onProgress }: McpCallOptions,
  ): Promise<McpResult> {
    try {
      const client = await unlessAborted(this.connect(), signal);
      const result = await client.callTool(
        { name: tool, arguments: { ...input } },
        {
          signal,
          timeout: this.#options.callTimeoutMs,
          resetTimeoutOnProgress: true,
          onprogress: (progress) => onProgress(progressLine(progress)),
        },
      );
      return readResult(result);
    } catch (error) {
      if (signal.aborted)
        throw new McpError("cancelled", this.definition.name, `${tool} was cancelled`, { cause: error });
      throw this.#callError(error);
    }
  }

  async #open(): Promise<Client> {
    const { definition } = this;
    const { version, startTimeoutMs: timeout } = this.#options;
    if (definition.endpoint === undefined)
      throw new McpError("not-connected", definition.name, definition.problem ?? "cannot be used");
    this.#problem = undefined;
    this.#changeTo("connecting");
    const transport = this.#transport(definition.endpoint);
    const client = new Client(
      { name: "omp", version },
      { listChanged: { tools: { onChanged: (error, tools) => !error && tools && this.#adopt(tools) } } },
    );
    this.#client = client;
    client.onclose = () => this.#lost(transport);
    try {
      await client.connect(transport, { timeout });
      this.#adopt((await client.listTools(undefined, { timeout })).tools);
    } catch (error) {
      await client.close().catch(() => undefined);
      throw this.#connectError(error, transport);
    }
    this.#changeTo("ready");
    return client;
  }

  #transport(endpoint: NonNullable<McpServerDefinition["endpoint"]>): Transport {
    if (endpoint.kind === "stdio") return new StdioTransport({ endpoint, ...this.#options });
    const { url, headers } = endpoint;
    const store = this.#options.loginTo(url);
    const authProvider = new LoginProvider({
      store,
      onAddress: () => {
        throw new Error(`the login is no longer valid; omp mcp login ${this.definition.name}`);
      },
    });
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      // Without a login nothing is asked of anybody: a 401 is the answer.
      ...(store.read().tokens === undefined ? {} : { authProvider }),
    });
  }

  #adopt(listed: readonly SdkTool[]): void {
    const { name: server, origin } = this.definition;
    this.#tools = listed.map((tool) => ({
      server,
      name: tool.name,
      fullName: fullToolName(server, tool.name),
      description: tool.description ?? tool.title ?? tool.annotations?.title ?? "",
      inputSchema: tool.inputSchema,
      // A project's server could say so of anything.
      isReadOnly: origin !== "project" && tool.annotations?.readOnlyHint === true,
      check: inputCheck(tool.inputSchema),
      call: (input, options) => this.call(tool.name, input, options),
    }));
    if (this.#state === "ready") this.#options.onChange();
  }

  /** The tools stay: the next call connects again. */
  #lost(transport: Transport): void {
    // One that never was there is an error of opening it.
    if (this.#state !== "ready" || this.#isClosed) return;
    this.#opening = undefined;
    const { name } = this.definition;
    const issue = `${endingOf(transport) ?? "the connection was closed"}; the next call connects again`;
    this.#problem = new McpError("connection-lost", name, issue).message;
    this.#changeTo("failed");
  }

  #changeTo(state: McpState): void {
    this.#state = state;
    if (!this.#isClosed) this.#options.onChange();
  }

  #connectError(error: unknown, transport: Transport): McpError {
    const { name } = this.definition;
    const seconds = this.#options.startTimeoutMs / 1_000;
    const needsLogin = error instanceof SdkHttpError && error.status === UNAUTHORIZED;
    if (needsLogin) {
      const issue = `the server answered 401; it needs a header, or: omp mcp login ${name}`;
      return new McpError("not-connected", name, issue, { cause: error });
    }
    const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    const why = isLate ? `did not answer within ${seconds} s` : (endingOf(transport) ?? messageOf(error));
    return new McpError("not-connected", name, why, { cause: error });
  }

  #callError(error: unknown): OmpError {
    const { name } = this.definition;
    if (error instanceof OmpError) return error;
    if (error instanceof ProtocolError)
      return new McpError("server-error", name, error.message, { cause: error });
    if (!(error instanceof SdkError))
      return new McpError("connection-lost", name, messageOf(error), { cause: error });
    if (error.code === SdkErrorCode.RequestTimeout) {
      const issue = `no answer within ${this.#options.callTimeoutMs / 1_000} s (setting mcp.timeout)`;
      return new McpError("timeout", name, issue, { cause: error });
    }
    const kind = error.code === SdkErrorCode.ConnectionClosed ? "connection-lost" : "server-error";
    return new McpError(kind, name, error.message, { cause: error });
  }
}

function endingOf(transport: Transport): string | undefined {
  return transport instanceof StdioTransport ? transport.ending : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof SdkHttpError)
    return `the server answered ${error.status} ${error.statusText ?? ""}`.trim();
  return error instanceof Error ? error.message : String(error);
}
