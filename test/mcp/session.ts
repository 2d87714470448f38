/** The services of a session with MCP servers, opened for real. */

import { afterEach, beforeEach } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services, type ServicesChoice } from "../../src/app/services.ts";
import type { ToolResult } from "../../src/protocol/index.ts";
import { type TestPlace, temporaryPlace, trustPlace } from "../support/home.ts";
import { checkout, userEnvironment } from "../support/omp.ts";

const packages = join(checkout, "node_modules", "@modelcontextprotocol");

/** Definitions for a list of servers. */
export const peers = {
  everything: { command: "node", args: [join(packages, "server-everything", "dist", "index.js")] },
  filesystem: (directory: string) => ({
    command: "node",
    args: [join(packages, "server-filesystem", "dist", "index.js"), directory],
  }),
  recording: (record: string) => ({
    command: "node",
    args: [join(import.meta.dir, "recording-server.mjs")],
    env: { RECORD: record },
  }),
};

export class McpPlace {
  readonly place: TestPlace = temporaryPlace();
  readonly stderr: string[] = [];
  readonly #opened: Services[] = [];

  /** In the user's own list. */
  addServers(mcpServers: object): void {
    const directory = join(this.place.home, ".omp", "agent");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "omp-mcp.json"), JSON.stringify({ mcpServers }));
  }

  settings(settings: object): void {
    const directory = join(this.place.home, ".omp", "agent");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "omp.jsonc"), JSON.stringify(settings));
  }

  /** In a project that is trusted. */
  addProjectServers(mcpServers: object): void {
    writeFileSync(join(this.place.project, ".mcp.json"), JSON.stringify({ mcpServers }));
    trustPlace(this.place);
  }

  async open(choice: ServicesChoice = {}, env: Record<string, string> = {}): Promise<Services> {
    const services = await this.openUnready(choice, env);
    await services.mcp?.ready(new AbortController().signal);
    return services;
  }

  /** No server is started yet. */
  async openUnready(choice: ServicesChoice = {}, env: Record<string, string> = {}): Promise<Services> {
    const invocation = { env: userEnvironment(this.place, env), cwd: this.place.project };
    const io = { stderr: (text: string) => void this.stderr.push(text) };
    const services = await openServices(invocation, io, choice);
    this.#opened.push(services);
    return services;
  }

  async close(): Promise<void> {
    for (const services of this.#opened.splice(0)) await services.close();
  }
}

/** A new place before each test; what was opened in it is closed after it. */
export function mcpPlace(): () => McpPlace {
  let place: McpPlace;
  beforeEach(() => {
    place = new McpPlace();
  });
  afterEach(async () => await place.close());
  return () => place;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onUpdate?: (text: string) => void;
  readonly holdTime?: () => () => void;
}

export function call(
  { tools, context }: Services,
  name: string,
  input: unknown = {},
  { signal = new AbortController().signal, onUpdate = () => undefined, holdTime }: CallOptions = {},
): Promise<ToolResult> {
  return tools.run(name, input, { ...context, signal, onUpdate, holdTime });
}
