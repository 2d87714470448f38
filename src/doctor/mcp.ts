/** What `omp doctor` says about MCP servers: which there are, and which cannot be used as they are defined. Starts none. */

import { ConfigError } from "../config/errors.ts";
import { type McpServersOptions, mcpServers } from "../config/mcp-servers.ts";
import { type Check, list } from "./check.ts";

export function checkMcp(options: McpServersOptions): Check {
  const name = "MCP servers";
  try {
    const { servers, warnings } = mcpServers(options);
    const broken = servers.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name} ${problem}`],
    );
    const notes = [...broken, ...warnings];
    const advice = servers.length === 0 ? [] : ["to check them: omp mcp list"];
    return {
      name,
      status: notes.length === 0 ? "ok" : "warn",
      value: list(servers.map(({ name, origin }) => `${name} (${origin})`)),
      notes: [...notes, ...advice],
      details: {
        servers: servers.map(({ name, origin, problem }) => ({ name, origin, problem: problem ?? null })),
      },
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { name, status: "warn", value: error.message, fix: "fix or remove the file" };
  }
}
