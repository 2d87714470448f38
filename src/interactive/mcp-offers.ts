/** What MCP servers add to completion: their prompts among the `/` commands, their resources after an `@`. */

import { argumentHint, promptCommand } from "../app/mcp-prompts.ts";
import { OmpError } from "../protocol/index.ts";
import type { McpPrompt, McpResource, McpServerStatus } from "../protocol/mcp.ts";
import { rank } from "../ui/complete/fuzzy.ts";
import type { Actions, CommandRow, FoundPaths } from "../ui/store/actions.ts";
import type { CodeName } from "../ui/store/code-help.ts";

const MAX_OFFERED = 30;

/** What is asked of a session's servers. */
export interface McpOffers {
  readonly revision: number;
  readonly servers: readonly McpServerStatus[];
  connection(name: string): Promise<{
    resources(signal: AbortSignal): Promise<readonly McpResource[]>;
    complete(
      of: { readonly prompt: string } | { readonly template: string },
      argument: { readonly name: string; readonly value: string },
      signal: AbortSignal,
    ): Promise<readonly string[]>;
  }>;
}

/** The commands, with the servers' prompts. It is asked for with every key, and made again only when the servers have changed. */
export function withPrompts(
  commands: readonly CommandRow[],
  mcp: () => McpOffers | undefined,
): () => readonly CommandRow[] {
  let made:
    | { readonly from: McpOffers; readonly revision: number; readonly rows: readonly CommandRow[] }
    | undefined;
  return () => {
    const from = mcp();
    if (from === undefined) return commands;
    if (made?.from !== from || made.revision !== from.revision) {
      const prompts = from.servers.flatMap((server) => server.prompts);
      const rows = [...commands, ...prompts.map(promptRow)];
      made = { from, revision: from.revision, rows };
    }
    return made.rows;
  };
}

function promptRow(prompt: McpPrompt): CommandRow {
  const [words = ""] = prompt.description.trim().split("\n");
  return {
    name: promptCommand(prompt),
    description: [argumentHint(prompt), words].filter(Boolean).join("  "),
    needsMore: prompt.arguments.some(({ isRequired }) => isRequired),
  };
}

/** The names of a prompt's arguments, and the values that its server knows. */
export async function promptArguments(
  { command, earlier, word }: { readonly command: string; readonly earlier: string; readonly word: string },
  mcp: McpOffers | undefined,
): Promise<readonly CodeName[]> {
  const prompts = mcp?.servers.flatMap((server) => server.prompts) ?? [];
  const prompt = prompts.find((each) => promptCommand(each) === command);
  if (prompt === undefined || mcp === undefined) return [];
  const used = new Set(earlier.split(/\s+/).map((each) => each.split("=")[0]));
  const [, named, value = ""] = /^([\w.-]+)=(.*)$/s.exec(word) ?? [];
  if (named === undefined) {
    const free = prompt.arguments.filter(({ name }) => !used.has(name));
    return free.map(({ name, description }) => ({ text: `${name}=`, type: description }));
  }
  const values = await completed(mcp, prompt.server, { prompt: prompt.name }, { name: named, value });
  return values.map((each) => ({
    text: `${named}=${/\s/.test(each) ? JSON.stringify(each) : each}`,
    type: "",
  }));
}

/** The files that `@` finds, with the servers that have resources; `@server:` finds those. Nothing is asked of a server before that. */
export function withResources(
  findFiles: Actions["findFiles"],
  mcp: () => McpOffers | undefined,
): Actions["findFiles"] {
  return async function* find(query, signal) {
    const from = mcp();
    const servers = from?.servers.filter(({ hasResources }) => hasResources).map(({ name }) => name) ?? [];
    const [, server = "", part = ""] = /^([^:]+):(.*)$/s.exec(query) ?? [];
    if (from !== undefined && servers.includes(server)) {
      yield await resourcesOf(from, { server, part }, signal);
      return;
    }
    const fitting = servers.filter((name) => name.startsWith(query)).map((name) => `${name}:`);
    let isFound = false;
    for await (const { paths, total } of findFiles(query, signal)) {
      isFound = true;
      // Before anything is written, files are meant more often.
      const all = query === "" ? [...paths, ...fitting] : [...fitting, ...paths];
      yield { paths: all, total: total + fitting.length };
    }
    if (!isFound && fitting.length > 0) yield { paths: fitting, total: fitting.length };
  };
}

async function resourcesOf(
  mcp: McpOffers,
  { server, part }: { readonly server: string; readonly part: string },
  signal: AbortSignal,
): Promise<FoundPaths> {
  try {
    const connection = await mcp.connection(server);
    const all = await connection.resources(signal);
    const plain = all.filter(({ isTemplate }) => !isTemplate);
    const rows = rank(part, plain, ({ uri }) => uri).map(({ uri, description }) => ({
      uri,
      note: description,
    }));
    for (const { uri: template, description } of all.filter(({ isTemplate }) => isTemplate)) {
      const [, start = "", variable = ""] = /^([^{]*)\{[+#./;?&]?([\w.]+)/.exec(template) ?? [];
      if (start === "") continue;
      if (!part.startsWith(start)) {
        if (start.includes(part)) rows.push({ uri: start, note: `${template}  ${description}` });
        continue;
      }
      const value = part.slice(start.length);
      const values = await completed(mcp, server, { template }, { name: variable, value });
      rows.push(...values.map((each) => ({ uri: start + each, note: description })));
    }
    const shown = rows.slice(0, MAX_OFFERED);
    return {
      paths: shown.map(({ uri }) => `${server}:${uri}`),
      notes: shown.map(({ note }) => note),
      total: rows.length,
    };
  } catch (error) {
    // A server that has gone offers nothing; sending the prompt says why.
    if (!(error instanceof OmpError) && !signal.aborted) throw error;
    return { paths: [], total: 0 };
  }
}

const PATIENCE_MS = 1_000;

/** None from a server that fails, or takes longer than anybody waits for a completion. */
async function completed(
  mcp: McpOffers,
  server: string,
  of: { readonly prompt: string } | { readonly template: string },
  argument: { readonly name: string; readonly value: string },
): Promise<readonly string[]> {
  const connection = await mcp.connection(server);
  return await connection.complete(of, argument, AbortSignal.timeout(PATIENCE_MS)).catch(() => []);
}
