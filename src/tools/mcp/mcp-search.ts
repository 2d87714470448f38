/** `mcp_search`: which tools of MCP servers there are, for cells (`omp.mcp.search`). The model is not told of it as a tool of its own. */

import * as z from "zod";
import type { Tool } from "../../protocol/index.ts";
import type { McpTool } from "../../protocol/mcp.ts";
import { defineTool } from "../define-tool.ts";

const schema = z.strictObject({
  query: z.string().default("").describe("Words that the name or the description has; none lists all."),
  server: z.string().optional().describe("Connect to this server first, if it is not connected."),
});

const PROMPT = "Find tools of MCP servers by words in their names and descriptions.";

export interface McpSearchServices {
  /** Of the servers that have answered. */
  readonly list: () => readonly McpTool[];
  /** Throws McpError where the server cannot be reached. */
  readonly connect: (server: string, signal: AbortSignal) => Promise<void>;
}

export function mcpSearchTool({ list, connect }: McpSearchServices): Tool<z.output<typeof schema>> {
  return defineTool({
    name: "mcp_search",
    prompt: PROMPT,
    schema,
    readOnly: true,
    summary: ({ query }) => query,
    run: async ({ query, server: wanted }, { signal }) => {
      if (wanted !== undefined) await connect(wanted, signal);
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found = list().filter(({ server, name, description }) => {
        const text = `${server} ${name} ${description}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const tools = found.map(({ server, name, fullName, description, inputSchema }) => {
        return { server, tool: name, name: fullName, description, inputSchema };
      });
      const lines = tools.map(
        ({ server, tool, description }) => `${server}.${tool}: ${description.split("\n")[0]}`,
      );
      return {
        isError: false,
        output: lines.join("\n") || "(no tools found)",
        details: { structured: { tools } },
      };
    },
  });
}
