/**
 * What the model is offered: tools, and the system prompt that tells of them. Changes when a Python that did not work at first does,
 * with the sandbox, and with the MCP servers.
 */

import { noticeMessage } from "../agent/messages.ts";
import type { Tool, ToolDescription, UserMessage } from "../protocol/index.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { offerMcpTools } from "./mcp-offer.ts";
import type { Services } from "./services.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import { sessionPrompt } from "./session-prompt.ts";
import { promptFor } from "./system-prompt.ts";
import { chooseTools, isNamed, isToolOf } from "./tool-choice.ts";

type Options = Pick<
  AgentSessionOptions,
  "tools" | "systemPrompt" | "appendSystemPrompt" | "answerInstruction"
>;

const PYTHON_WORKS =
  "The python tool works now: you have it from here on. It was not there before because no Python could be used.";

/** How long a prompt waits for servers that are starting. */
const MCP_PATIENCE_MS = 5_000;

export class SessionTools {
  readonly #options: Options;
  readonly #services: Services;
  #own: Offer;
  #joined: (Offer & { readonly own: Offer; readonly revision: number }) | undefined;

  private constructor(options: Options, services: Services, own: Offer) {
    this.#options = options;
    this.#services = services;
    this.#own = own;
  }

  /** @param warn gets a line about what is missing. */
  static async open(
    options: Options,
    services: Services,
    warn: (line: string) => void,
  ): Promise<SessionTools> {
    const tools = await chooseTools(options.tools, services, warn);
    return new SessionTools(options, services, await offerOf(tools, options, services));
  }

  /** Also those that only cells call. */
  get registry(): ToolRegistry {
    return this.#offer.registry;
  }

  /** One line about a call; empty where its input is wrong. */
  summaryOf(name: string, input: unknown): string {
    const tool = this.registry.get(name);
    const checked = tool?.check(input);
    return checked?.ok === true ? (tool?.summary(checked.input) ?? "") : "";
  }

  get descriptions(): readonly ToolDescription[] {
    return this.#offer.descriptions;
  }

  get system(): string {
    return this.#offer.system;
  }

  get contextPaths(): readonly string[] {
    return this.#own.contextPaths;
  }

  /**
   * Looks again where the python tool is missing because no Python worked, and waits a little for MCP servers that are starting.
   * @returns what the model should know of it.
   */
  async refresh(signal: AbortSignal): Promise<readonly UserMessage[]> {
    await this.#services.mcp?.ready(signal, MCP_PATIENCE_MS);
    const { tools: named } = this.#options;
    if (this.registry.get("python") !== undefined || named?.includes("python") === false) return [];
    const tools = await chooseTools(named, this.#services, () => undefined);
    if (!tools.some(({ name }) => name === "python")) return [];
    this.#own = await offerOf(tools, this.#options, this.#services);
    return [noticeMessage("announcement", PYTHON_WORKS)];
  }

  /** The same tools, where there is something else to say about them. */
  async describeAgain(): Promise<void> {
    this.#own = await offerOf(this.#own.registry.list(), this.#options, this.#services);
  }

  /** With the tools of the MCP servers that have answered until now: they come and change while a session runs. */
  get #offer(): Offer {
    const { mcp, workspace } = this.#services;
    if (mcp === undefined) return this.#own;
    const own = this.#own;
    if (this.#joined?.own !== own || this.#joined.revision !== mcp.revision) {
      const tools = mcp.tools.filter(({ name }) => isNamed(name, this.#options.tools));
      const hasPython = own.registry.get("python") !== undefined;
      const { expose } = workspace.settings.mcp;
      const { offered, prompt } = offerMcpTools({ tools, servers: mcp.servers, expose, hasPython });
      this.#joined = {
        ...own,
        own,
        revision: mcp.revision,
        registry: new ToolRegistry([
          ...own.registry.list(),
          ...tools,
          ...(mcp.servers.some(({ name }) => isOffered(name, this.#options.tools)) ? [mcp.search] : []),
        ]),
        descriptions: [
          ...own.descriptions,
          ...offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        ],
        system: prompt === "" ? own.system : `${own.system}\n\n${prompt}`,
      };
    }
    return this.#joined;
  }
}

/** Also one that has not answered: cells try it again. */
function isOffered(server: string, named: readonly string[] | undefined): boolean {
  return named === undefined || named.some((name) => isToolOf(name, server));
}

interface Offer {
  readonly registry: ToolRegistry;
  readonly descriptions: readonly ToolDescription[];
  readonly system: string;
  /** The files that the system prompt quotes. */
  readonly contextPaths: readonly string[];
}

async function offerOf(tools: readonly Tool[], options: Options, services: Services): Promise<Offer> {
  const registry = new ToolRegistry(tools);
  const { names } = registry;
  const descriptions = registry.list().map(({ name, description, inputSchema }) => ({
    name,
    description: promptFor(description, names),
    inputSchema,
  }));
  return { registry, descriptions, ...(await sessionPrompt({ options, services, toolNames: names })) };
}
