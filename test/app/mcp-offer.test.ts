import { expect, test } from "bun:test";
import { offerMcpTools } from "../../src/app/mcp-offer.ts";
import type { Tool } from "../../src/protocol/index.ts";
import type { McpServerStatus, McpTool } from "../../src/protocol/mcp.ts";

function server(name: string, count: number, bytes: number): McpServerStatus {
  const tools = Array.from(
    { length: count },
    (_, at): McpTool => ({
      server: name,
      name: `t${at}`,
      fullName: `mcp__${name}__t${at}`,
      description: "x".repeat(bytes),
      inputSchema: { type: "object" },
      isReadOnly: false,
      check: () => ({ ok: true, input: {} }),
      call: async () => ({ isError: false, content: [] }),
    }),
  );
  const status = { name, origin: "user", target: name, state: "ready", problem: undefined } as const;
  return { ...status, tools, prompts: [], hasResources: false, log: [] };
}

function toolsOf(servers: readonly McpServerStatus[]): Tool[] {
  return servers.flatMap(({ tools }) =>
    tools.map(({ fullName, description, inputSchema }) => ({
      name: fullName,
      description,
      inputSchema,
      concurrency: "exclusive" as const,
      readOnly: false,
      check: () => ({ ok: true, input: {} }),
      summary: () => "",
      run: async () => ({ isError: false, output: "", details: {} }),
    })),
  );
}

const servers = [server("large", 20, 1_000), server("small", 2, 1_000)];
const tools = toolsOf(servers);
const offer = (expose: "auto" | "tools" | "cells", hasPython = true) => {
  const { offered, prompt } = offerMcpTools({ tools, servers, expose, hasPython });
  return { names: offered.map(({ name }) => name), prompt };
};
const words = '`omp.mcp.search("words")` finds a tool, `omp.mcp.<server>.<tool>(**input)` calls it.';

test("auto offers the servers that fit into the budget, and names the others", () => {
  expect(offer("auto")).toEqual({
    names: ["mcp__small__t0", "mcp__small__t1"],
    prompt: `MCP servers, from Python cells only: large (20 tools). ${words}`,
  });
});

test("tools offers all, and cells none", () => {
  expect(offer("tools")).toEqual({ names: tools.map(({ name }) => name), prompt: "" });
  expect(offer("cells")).toEqual({
    names: [],
    prompt: `MCP servers, from Python cells only: large (20 tools), small (2 tools). ${words}`,
  });
});

test("without Python there are no cells to call them from", () => {
  expect(offer("cells", false)).toEqual({ names: tools.map(({ name }) => name), prompt: "" });
});
