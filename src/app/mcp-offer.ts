/** Which tools of MCP servers the model is offered with every request, and which it reaches by name from cells. */

import { count } from "../format/numbers.ts";
import type { Tool } from "../protocol/index.ts";
import type { McpServerStatus } from "../protocol/mcp.ts";

/** Every request has them, so they are paid for again with each turn. */
const BUDGET_BYTES = 16_000;

export interface McpOffer {
  readonly offered: readonly Tool[];
  /** What the model should know of those that are not; empty when all are. */
  readonly prompt: string;
}

export interface OfferOptions {
  readonly tools: readonly Tool[];
  readonly servers: readonly McpServerStatus[];
  readonly expose: "auto" | "tools" | "cells";
  /** Without Python there are no cells to call them from. */
  readonly hasPython: boolean;
}

/** A server's tools belong together: they are offered all or not at all. */
export function offerMcpTools({ tools, servers, expose, hasPython }: OfferOptions): McpOffer {
  if (expose === "tools" || !hasPython) return { offered: tools, prompt: "" };
  const offered: Tool[] = [];
  const left: string[] = [];
  let bytes = expose === "auto" ? BUDGET_BYTES : 0;
  for (const { name, tools: remote } of servers) {
    const names = new Set(remote.map(({ fullName }) => fullName));
    const own = tools.filter((tool) => names.has(tool.name));
    const size = own.reduce((sum, tool) => sum + sizeOf(tool), 0);
    if (size <= bytes) {
      offered.push(...own);
      bytes -= size;
    } else left.push(`${name} (${count(own.length, "tool")})`);
  }
  return { offered, prompt: left.length === 0 ? "" : promptFor(left) };
}

function sizeOf({ name, description, inputSchema }: Tool): number {
  return Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
}

function promptFor(left: readonly string[]): string {
  return `MCP servers, from Python cells only: ${left.join(", ")}. \`omp.mcp.search("words")\` finds a tool, \`omp.mcp.<server>.<tool>(**input)\` calls it.`;
}
