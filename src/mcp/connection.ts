/** The connection to one server: opened in the background or by the first call, and opened again when it is gone. */

import type { Client, Prompt, Tool as SdkTool, Transport } from "@modelcontextprotocol/client";
import { unlessAborted } from "../async/abort.ts";
import { OmpError } from "../protocol/index.ts";
import type {
  McpCallOptions,
  McpContent,
  McpElicit,
  McpPrompt,
  McpPromptMessage,
  McpResource,
  McpResult,
  McpServerDefinition,
  McpServerStatus,
  McpState,
  McpTool,
} from "../protocol/mcp.ts";
import { connectError, requestError, timeoutError } from "./connection-errors.ts";
import { readContent, readResource, readResult } from "./content.ts";
import { answerElicitation } from "./elicitation.ts";
import { McpError } from "./errors.ts";
import { listedPrompt, listedTool, listOffer, listResources } from "./listed.ts";
import { OpenCalls } from "./open-calls.ts";
import { openTransport, type TransportOptions } from "./open-transport.ts";
import { progressLine } from "./progress.ts";
import { serverClient } from "./server-client.ts";
import { ServerLog } from "./server-log.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** The most that a timer takes: the SDK's own limit is not used, since it also runs while the user is asked. */
const NO_LIMIT_MS = 2_147_483_647;

export interface ConnectionOptions extends TransportOptions {
  readonly version: string;
  readonly startTimeoutMs: number;
  /** Without an answer or a sign of progress. */
  readonly callTimeoutMs: number;
  readonly projectRoot: string;
  /** Puts a server's question to the user; undefined where there is none. */
  readonly elicit: McpElicit | undefined;
  /** State, tools or prompts have changed. */
  readonly onChange: () => void;
}

export class McpConnection {
  readonly definition: McpServerDefinition;
  readonly #options: ConnectionOptions;
  #state: McpState = "idle";
  #problem: string | undefined;
  #tools: readonly McpTool[] = [];
  #prompts: readonly McpPrompt[] = [];
  /** Listed when somebody wants to know. */
  #resources: Promise<readonly McpResource[]> | undefined;
  readonly #log = new ServerLog();
  readonly #calls = new OpenCalls();
  #opening: Promise<Client> | undefined;
  #client: Client | undefined;
  #isClosed = false;

  constructor(definition: McpServerDefinition, options: ConnectionOptions) {
    this.definition = definition;
    this.#options = options;
  }

  get status(): McpServerStatus {
    const { name, origin, target } = this.definition;
    return {
      ...{ name, origin, target, state: this.#state, problem: this.#problem },
      ...{ tools: this.#tools, prompts: this.#prompts, log: this.#log.lines },
      hasResources: this.#client?.getServerCapabilities()?.resources !== undefined,
    };
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
    { signal, onProgress, holdTime }: McpCallOptions,
  ): Promise<McpResult> {
    const result = await this.#request(tool, { signal, holdTime }, (client, options, restart) =>
      client.callTool(
        { name: tool, arguments: { ...input } },
        {
          ...options,
          onprogress: (progress) => {
            restart();
            onProgress(progressLine(progress));
          },
        },
      ),
    );
    return readResult(result);
  }

  async prompt(
    name: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly McpPromptMessage[]> {
    const { messages } = await this.#request(name, { signal }, (client, options) =>
      client.getPrompt({ name, arguments: { ...given } }, options),
    );
    return messages.map(({ role, content }) => ({ role, content: readContent(content) }));
  }

  /** Templates, too. */
  async resources(signal: AbortSignal): Promise<readonly McpResource[]> {
    const { name } = this.definition;
    const client = await unlessAborted(this.connect(), signal);
    if (client.getServerCapabilities()?.resources === undefined) return [];
    this.#resources ??= listResources(name, client, { timeout: this.#options.callTimeoutMs }).catch(
      (error: unknown) => {
        this.#resources = undefined;
        throw requestError(name, error);
      },
    );
    return await unlessAborted(this.#resources, signal);
  }

  async read(uri: string, signal: AbortSignal): Promise<readonly McpContent[]> {
    const { contents } = await this.#request(uri, { signal }, (client, options) =>
      client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    );
    return contents.map(readResource);
  }

  /** How the server would continue a value; none where it cannot say. */
  async complete(
    of: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const client = await unlessAborted(this.connect(), signal);
    if (client.getServerCapabilities()?.completions === undefined) return [];
    const ref =
      "prompt" in of
        ? ({ type: "ref/prompt", name: of.prompt } as const)
        : ({ type: "ref/resource", uri: of.template } as const);
    const { completion } = await client.complete({ ref, argument }, { signal });
    return completion.values;
  }

  /** One request: connected first, with the limits and the errors of every other. */
  async #request<T>(
    what: string,
    { signal, holdTime }: Pick<McpCallOptions, "signal" | "holdTime">,
    send: (
      client: Client,
      options: { readonly signal: AbortSignal; readonly timeout: number },
      restart: () => void,
    ) => Promise<T>,
  ): Promise<T> {
    const { name } = this.definition;
    const { callTimeoutMs } = this.#options;
    let time: ReturnType<OpenCalls["start"]> | undefined;
    try {
      const client = await unlessAborted(this.connect(), signal);
      time = this.#calls.start(callTimeoutMs, holdTime);
      const options = { signal: AbortSignal.any([signal, time.signal]), timeout: NO_LIMIT_MS };
      return await send(client, options, time.restart);
    } catch (error) {
      if (signal.aborted) throw new McpError("cancelled", name, `${what} was cancelled`, { cause: error });
      throw time?.signal.aborted === true ? timeoutError(name, callTimeoutMs) : requestError(name, error);
    } finally {
      time?.end();
    }
  }

  async #open(): Promise<Client> {
    const { definition } = this;
    const { startTimeoutMs: timeout } = this.#options;
    if (definition.endpoint === undefined)
      throw new McpError("not-connected", definition.name, definition.problem ?? "cannot be used");
    this.#problem = undefined;
    this.#changeTo("connecting");
    const transport = openTransport(definition.name, definition.endpoint, this.#options);
    const client = this.#newClient();
    this.#client = client;
    client.onclose = () => this.#lost(transport);
    try {
      await client.connect(transport, { timeout });
      const { tools, prompts } = await listOffer(client, { timeout });
      this.#adopt(tools, prompts);
    } catch (error) {
      await client.close().catch(() => undefined);
      throw connectError(definition.name, error, {
        startTimeoutMs: timeout,
        ending: () => endingOf(transport),
      });
    }
    this.#changeTo("ready");
    return client;
  }

  #newClient(): Client {
    const { version, projectRoot, elicit } = this.#options;
    const server = this.definition.name;
    return serverClient({
      version,
      projectRoot,
      onTools: (tools) => this.#adopt(tools, undefined),
      onPrompts: (prompts) => this.#adopt(undefined, prompts),
      onResources: () => {
        this.#resources = undefined;
      },
      onLog: (message) => this.#log.add(message),
      elicit: async (params, asked) => {
        const { left } = this.#calls;
        const signal = left === undefined ? asked : AbortSignal.any([asked, left]);
        const release = this.#calls.hold();
        return await answerElicitation(params, { server, elicit, signal }).finally(release);
      },
    });
  }

  #adopt(tools: readonly SdkTool[] | undefined, prompts: readonly Prompt[] | undefined): void {
    const { definition } = this;
    if (tools !== undefined) {
      this.#tools = tools.map((tool) =>
        listedTool(definition, tool, (input, options) => this.call(tool.name, input, options)),
      );
    }
    if (prompts !== undefined) this.#prompts = prompts.map((prompt) => listedPrompt(definition.name, prompt));
    if (this.#state === "ready") this.#options.onChange();
  }

  /** The tools stay: the next call connects again. */
  #lost(transport: Transport): void {
    // One that never was there is an error of opening it.
    if (this.#state !== "ready" || this.#isClosed) return;
    this.#opening = undefined;
    this.#resources = undefined;
    const { name } = this.definition;
    const issue = `${endingOf(transport) ?? "the connection was closed"}; the next call reconnects`;
    this.#problem = new McpError("connection-lost", name, issue).message;
    this.#changeTo("failed");
  }

  #changeTo(state: McpState): void {
    this.#state = state;
    if (!this.#isClosed) this.#options.onChange();
  }
}

function endingOf(transport: Transport): string | undefined {
  return transport instanceof StdioTransport ? transport.ending : undefined;
}
