/** Commands that show what there is: tools, kernel, shells, costs. */

import { formatTokens } from "../format/numbers.ts";
import type { Spent } from "../ui/store/state.ts";
import { answer, type CommandCall, inform, type OpenCall, type TableRow, warn } from "./command.ts";
import { runningShells } from "./open-session.ts";

/** What the model is told of: tools of MCP servers that only cells call are with their server, under `/mcp`. */
export function tools(call: OpenCall): void {
  const rows = call.session.offered.map(({ name, description }): TableRow => {
    const [first = ""] = description.trim().split("\n");
    return [name, first];
  });
  answer(call, "Tools", rows, rows.length === 0 ? "  none" : "");
}

export async function kernel(call: CommandCall): Promise<void> {
  const { state, interpreter, problem } = call.conversation.store.get().facts.kernel;
  const services = call.conversation.session?.services;
  const host = services?.python.host;
  // This machine's Python says nothing about a kernel on another one.
  const path =
    host?.short === undefined && interpreter !== undefined ? await services?.python.facts() : undefined;
  const rows: TableRow[] = [
    ["state", state === "none" ? "not started" : state === "unavailable" ? "not available" : state],
    ...(problem === undefined ? [] : [["why", problem] as const]),
    ["interpreter", interpreter ?? (state === "unavailable" ? "none" : "not checked yet")],
    ...(path === undefined ? [] : [["path", path.path] as const]),
    ...(path?.reason === undefined ? [] : [["chosen", path.reason] as const]),
    ...(host === undefined ? [] : [["runs", host.name] as const]),
  ];
  answer(call, "Python kernel", rows);
}

/** `/shells`, and `/shells kill <id>`. */
export async function shells(call: OpenCall): Promise<void> {
  const [verb = "", id = ""] = call.argument.split(/\s+/);
  const { services } = call.session;
  if (verb === "") {
    const rows = services.shells
      .background()
      .map(({ id: name, status, command }): TableRow => [name, `${status}  ${command.split("\n")[0]}`]);
    const text = rows.length === 0 ? "  none" : "Stop one: /shells kill <id>";
    return answer(call, "Background shells", rows, text);
  }
  if (verb !== "kill" || id === "") return warn(call, "Usage: /shells or /shells kill <id>.");
  const wasEnded = await services.shells.kill(id);
  if (wasEnded === undefined) warn(call, `No background shell ${id}. See /shells for the list.`);
  // That it has ended is told when it has, as of every other.
  else if (!wasEnded) inform(call, `${id} had already ended.`);
  const backgroundShells = runningShells(call.session);
  call.conversation.store.dispatch({ type: "facts", facts: { backgroundShells } });
}

export function cost(call: CommandCall): void {
  const { facts } = call.conversation.store.get();
  const { usedTokens, contextTokens, nested, model } = facts;
  const share = contextTokens > 0 ? `, ${Math.round((100 * usedTokens) / contextTokens)} %` : "";
  const rows: TableRow[] = [
    ["model", model ?? "none"],
    ["context", `${formatTokens(usedTokens)} of ${formatTokens(contextTokens)} tokens${share}`],
    ["tokens", tokensOf(facts)],
    ["cost", priceOf(facts)],
    ...(nested.totals.output === 0
      ? []
      : [["of that", `${tokensOf(nested)}, ${priceOf(nested)}, by cells and subagents`] as const]),
  ];
  answer(call, "Cost of this session", rows);
}

function tokensOf({ totals: { input, cached, output } }: Spent): string {
  const fromCache = cached === 0 ? "" : `${formatTokens(cached)} from the cache, `;
  return `${formatTokens(input)} in, ${fromCache}${formatTokens(output)} out`;
}

function priceOf({ costUsd }: Spent): string {
  return costUsd === undefined ? "price unknown" : `$${costUsd.toFixed(4)}`;
}
