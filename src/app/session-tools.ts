/**
 * What the model is offered: tools, and the system prompt that tells of them. Changes when a Python that did not work at first does, and
 * with the sandbox.
 */

import { noticeMessage } from "../agent/messages.ts";
import type { Tool, ToolDescription, UserMessage } from "../protocol/index.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { AgentSessionOptions } from "./agent-session.ts";
import type { Services } from "./services.ts";
import { sessionPrompt } from "./session-prompt.ts";
import { promptFor } from "./system-prompt.ts";
import { chooseTools } from "./tool-choice.ts";

type Options = Pick<AgentSessionOptions, "tools" | "systemPrompt" | "appendSystemPrompt">;

const PYTHON_WORKS =
  "The python tool works now: you have it from here on. It was not there before because no Python could be used.";

export class SessionTools {
  registry: ToolRegistry;
  descriptions: readonly ToolDescription[];
  system: string;
  readonly #options: Options;
  readonly #services: Services;

  private constructor(options: Options, services: Services, offer: Offer) {
    this.#options = options;
    this.#services = services;
    ({ registry: this.registry, descriptions: this.descriptions, system: this.system } = offer);
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

  /** Looks again where the python tool is missing because no Python worked. @returns what the model should know of it. */
  async refresh(): Promise<readonly UserMessage[]> {
    const { tools: named } = this.#options;
    if (this.registry.get("python") !== undefined || named?.includes("python") === false) return [];
    const tools = await chooseTools(named, this.#services, () => undefined);
    if (!tools.some(({ name }) => name === "python")) return [];
    await this.#offer(tools);
    return [noticeMessage("announcement", PYTHON_WORKS)];
  }

  /** The same tools, where there is something else to say about them. */
  async describeAgain(): Promise<void> {
    await this.#offer(this.registry.list());
  }

  async #offer(tools: readonly Tool[]): Promise<void> {
    Object.assign(this, await offerOf(tools, this.#options, this.#services));
  }
}

type Offer = Pick<SessionTools, "registry" | "descriptions" | "system">;

async function offerOf(tools: readonly Tool[], options: Options, services: Services): Promise<Offer> {
  const registry = new ToolRegistry(tools);
  const { names } = registry;
  const descriptions = registry.list().map(({ name, description, inputSchema }) => ({
    name,
    description: promptFor(description, names),
    inputSchema,
  }));
  return { registry, descriptions, system: await sessionPrompt({ options, services, toolNames: names }) };
}
