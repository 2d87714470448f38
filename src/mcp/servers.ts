/** The MCP servers of a session. Loading this loads the SDK: only where a server is configured. */

import type { McpServerDefinition, McpServerStatus, McpTool } from "../protocol/mcp.ts";
import { type ConnectionOptions, McpConnection } from "./connection.ts";
import { McpError } from "./errors.ts";

export type { ConnectionOptions, McpConnection } from "./connection.ts";

export class McpServers {
  readonly #connections: readonly McpConnection[];

  constructor(definitions: readonly McpServerDefinition[], options: ConnectionOptions) {
    this.#connections = definitions.map((definition) => new McpConnection(definition, options));
  }

  /** Connects to those that are not connected. Never throws: what failed is in the list. @param names all when not given. */
  async connect(names?: readonly string[]): Promise<void> {
    const wanted = this.#connections.filter(({ definition }) => names?.includes(definition.name) ?? true);
    await Promise.allSettled(wanted.map((connection) => connection.connect()));
  }

  list(): readonly McpServerStatus[] {
    return this.#connections.map(({ status }) => status);
  }

  get tools(): readonly McpTool[] {
    return this.list().flatMap(({ tools }) => tools);
  }

  /** Throws McpError for one that is not there. */
  get(name: string): McpConnection {
    const found = this.#connections.find(({ definition }) => definition.name === name);
    if (found === undefined) throw new McpError("not-connected", name, "there is no such server");
    return found;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#connections.map((connection) => connection.close()));
  }
}
