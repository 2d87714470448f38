/**
 * The MCP servers of a session, and their tools as the session's. Nothing is loaded or started where no server is configured, and
 * nothing before `start`, which is called after the first paint.
 */

import { version } from "../../package.json" with { type: "json" };
import { untilAborted } from "../async/abort.ts";
import { within } from "../async/within.ts";
import { mcpLogins } from "../config/mcp-logins.ts";
import { mcpServers } from "../config/mcp-servers.ts";
import type { McpConnection, McpServers } from "../mcp/servers.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import type { Confinement } from "../process/confinement.ts";
import { sharedWatchdog } from "../process/watchdog.ts";
import { OmpError, type Tool } from "../protocol/index.ts";
import type { McpElicit, McpServerDefinition, McpServerStatus } from "../protocol/mcp.ts";
import { mcpSearchTool } from "../tools/mcp/mcp-search.ts";
import { mcpTool } from "../tools/mcp/mcp-tool.ts";
import { isToolOf } from "./tool-choice.ts";
import type { Workspace } from "./workspace.ts";

export interface SessionMcpParts {
  readonly workspace: Workspace;
  readonly artifacts: () => ArtifactStore;
  readonly approve: (tool: Tool) => Tool;
  /** The session's sandbox as it is now. */
  readonly sandbox: () => Confinement | undefined;
  /** Puts a server's question to the user; without it every question is declined. */
  readonly elicit?: McpElicit | undefined;
  /** What servers offer has changed. */
  readonly onChange?: (() => void) | undefined;
  /** Gets a line about each server that fails. */
  readonly warn: (line: string) => void;
}

const MS_PER_SECOND = 1_000;
/** What every program needs. Servers name the rest themselves. */
const BASE_VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
];

/** As cells can write a name: `mcp.py` has the same rule. */
function inPython(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "_");
}

/** Undefined where no server is configured. Throws ConfigError when the user's list of servers cannot be read. */
export function openSessionMcp(parts: SessionMcpParts): SessionMcp | undefined {
  const { servers, warnings } = mcpServers(parts.workspace);
  for (const warning of warnings) parts.warn(warning);
  return servers.length === 0 ? undefined : new SessionMcp(servers, parts);
}

export class SessionMcp {
  /** Changes whenever `tools` may have changed. */
  revision = 0;
  readonly #definitions: readonly McpServerDefinition[];
  readonly #parts: SessionMcpParts;
  readonly #reported = new Map<string, string>();
  #servers: McpServers | undefined;
  #connecting: Promise<void> | undefined;
  /** What a prompt waits for. A server that fails is tried again with each prompt, and no prompt waits for it. */
  #firstRound: Promise<void> | undefined;
  #made: { readonly revision: number; readonly tools: readonly Tool[] } | undefined;
  #isClosed = false;

  constructor(definitions: readonly McpServerDefinition[], parts: SessionMcpParts) {
    this.#definitions = definitions;
    this.#parts = parts;
  }

  /** Connects in the background to what is not connected: also again to what has failed. */
  start(): void {
    if (this.#connecting === undefined) {
      const connecting = this.#connect().finally(() => {
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
      this.#connecting = connecting;
    }
    this.#firstRound ??= this.#connecting;
  }

  /** Waits for servers that are starting. @param patienceMs after which the session goes on without them. */
  async ready(signal: AbortSignal, patienceMs = this.#startTimeoutMs): Promise<void> {
    this.start();
    await untilAborted(within(this.#firstRound ?? Promise.resolve(), patienceMs), signal);
  }

  /** Waits until each has answered, or has failed. */
  async tried(signal: AbortSignal): Promise<void> {
    this.start();
    await untilAborted(this.#firstRound ?? Promise.resolve(), signal);
  }

  /** Connects only to the server that a tool's name points to. */
  async readyFor(tool: string, signal: AbortSignal): Promise<void> {
    const names = this.#definitions.map(({ name }) => name).filter((name) => isToolOf(tool, name));
    if (names.length === 0) return;
    await untilAborted(
      this.#open().then((servers) => servers?.connect(names)),
      signal,
    );
  }

  /** Of every server that has answered, each behind the approval policy. */
  get tools(): readonly Tool[] {
    if (this.#made?.revision !== this.revision) {
      const { approve, artifacts } = this.#parts;
      const tools = (this.#servers?.tools ?? []).map((tool) => approve(mcpTool(tool, { artifacts })));
      // Two tools that a server calls the same are one.
      const unique = new Map(tools.map((tool) => [tool.name, tool]));
      this.#made = { revision: this.revision, tools: [...unique.values()] };
    }
    return this.#made.tools;
  }

  /** For cells; the model is not told of it. */
  readonly search: Tool = mcpSearchTool({
    list: () => this.#servers?.tools ?? [],
    connect: async (named, signal) => {
      const found = this.#definitions.find(({ name }) => inPython(name) === inPython(named));
      if (found === undefined) return;
      const connection = await this.connection(found.name);
      await untilAborted(connection.connect(), signal);
    },
  });

  get servers(): readonly McpServerStatus[] {
    return (
      this.#servers?.list() ??
      this.#definitions.map(({ name, origin, target }) => {
        const nothing = { tools: [], prompts: [], hasResources: false, log: [] };
        return { name, origin, target, state: "idle", problem: undefined, ...nothing };
      })
    );
  }

  /** Also one that is not connected: the first request connects. Throws McpError for one that is not there. */
  async connection(name: string): Promise<McpConnection> {
    const servers = await this.#open();
    if (servers === undefined)
      throw new OmpError({ operation: `mcp ${name}`, issue: "omp is ending", code: "CLOSED" });
    return servers.get(name);
  }

  /** The sandbox is another one, or gone: servers that run in it start again. */
  async restart(): Promise<void> {
    if (!this.#parts.workspace.settings.mcp.sandbox) return;
    await this.#servers?.close();
    this.#servers = undefined;
    this.#connecting = undefined;
    this.#firstRound = undefined;
    this.revision += 1;
    this.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#servers?.close();
  }

  get #startTimeoutMs(): number {
    return this.#parts.workspace.settings.mcp.startTimeout * MS_PER_SECOND;
  }

  async #connect(): Promise<void> {
    await (await this.#open())?.connect();
    this.#parts.workspace.mark("MCP servers connected");
  }

  async #open(): Promise<McpServers | undefined> {
    const { McpServers } = await import("../mcp/servers.ts");
    if (this.#isClosed) return undefined;
    const { sandbox, workspace, elicit } = this.#parts;
    const { env, settings, paths, project } = workspace;
    this.#servers ??= new McpServers(this.#definitions, {
      version,
      baseEnv: Object.fromEntries(
        BASE_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
      ),
      watchdog: sharedWatchdog(),
      confinement: () => (settings.mcp.sandbox ? sandbox() : undefined),
      startTimeoutMs: this.#startTimeoutMs,
      callTimeoutMs: settings.mcp.timeout * MS_PER_SECOND,
      projectRoot: project.root,
      elicit,
      loginTo: (url) => mcpLogins(paths.mcpLoginsFile, url),
      onChange: () => this.#changed(),
    });
    return this.#servers;
  }

  /** A server is named when it fails, once for the same reason. */
  #changed(): void {
    this.revision += 1;
    this.#parts.onChange?.();
    for (const { name, state, problem = "" } of this.servers) {
      if (state === "ready") this.#reported.delete(name);
      if (state !== "failed" || this.#reported.get(name) === problem) continue;
      this.#reported.set(name, problem);
      this.#parts.warn(problem);
    }
  }
}
