/** `/mcp` shows the servers of the session, `/mcp <server>` what one has to offer and what it has logged. */

import { argumentHint, promptCommand } from "../app/mcp-prompts.ts";
import { count } from "../format/numbers.ts";
import type { McpServerStatus } from "../protocol/mcp.ts";
import { answer, type OpenCall, type TableRow, warn } from "./command.ts";

const SHOWN_LOG_LINES = 10;

export async function mcp(call: OpenCall): Promise<void> {
  const servers = call.session.services.mcp?.servers ?? [];
  if (call.argument === "") {
    const rows = servers.map((server): TableRow => [server.name, `${server.origin}: ${outcomeOf(server)}`]);
    const text = rows.length === 0 ? "  none; add one with: omp mcp add" : "";
    return answer(call, "MCP servers", rows, text);
  }
  const server = servers.find(({ name }) => name === call.argument);
  if (server === undefined) return warn(call, `No MCP server ${call.argument}. See /mcp for the list.`);
  answer(call, `MCP server ${server.name}`, [
    ["state", outcomeOf(server)],
    ["runs", server.target],
    ...rowsFor(
      "tool",
      server.tools.map(({ name, description }) => line(name, description)),
    ),
    ...rowsFor(
      "prompt",
      server.prompts.map((prompt) =>
        line(`/${promptCommand(prompt)} ${argumentHint(prompt)}`.trim(), prompt.description),
      ),
    ),
    ...(server.hasResources ? [["resources", `@${server.name}: completes them`] as const] : []),
    ...rowsFor("log", server.log.slice(-SHOWN_LOG_LINES)),
  ]);
}

function outcomeOf({ state, problem, tools, prompts, hasResources }: McpServerStatus): string {
  if (state !== "ready") return problem ?? state;
  const parts = [
    count(tools.length, "tool"),
    ...(prompts.length === 0 ? [] : [count(prompts.length, "prompt")]),
    ...(hasResources ? ["resources"] : []),
  ];
  return parts.join(", ");
}

function rowsFor(name: string, lines: readonly string[]): TableRow[] {
  return lines.map((text, at) => [at === 0 ? name : "", text]);
}

function line(name: string, description: string): string {
  const [first = ""] = description.trim().split("\n");
  return first === "" ? name : `${name}  ${first}`;
}
