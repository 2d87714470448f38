/** `omp mcp add|list|remove`: the MCP servers that omp uses. */

import { withErrorLine } from "../app/exit-codes.ts";
import { type Interruption, interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { openSessionMcp } from "../app/mcp.ts";
import { jsonText, tableText } from "../app/printing.ts";
import { openSandbox } from "../app/sandbox.ts";
import { openWorkspace } from "../app/workspace.ts";
import { count } from "../format/numbers.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { McpServerStatus } from "../protocol/mcp.ts";

export interface McpAddOptions {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly url?: string | undefined;
  /** `NAME=value`. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined;
  readonly project?: boolean | undefined;
}

export type McpAction =
  | { readonly name: "list"; readonly json?: boolean | undefined }
  | { readonly name: "add"; readonly server: McpAddOptions; readonly json?: boolean | undefined }
  | {
      readonly name: "remove";
      readonly server: Pick<McpAddOptions, "name" | "project">;
      readonly json?: boolean | undefined;
    };

/** The exit code: 0, or 2 when a definition or a file is bad. */
export async function runMcp(action: McpAction, io: CommandIo, invocation: Invocation): Promise<number> {
  const perform = (interruption: Interruption) => async () => {
    if (action.name === "list") {
      const servers = await connected(io, invocation, interruption.signal);
      io.stdout(action.json ? jsonText(servers.map(listed)) : listText(servers));
      return interruption.exitCode ?? 0;
    }
    const { addServer, removeServer } = await import("../config/mcp-edit.ts");
    const { name, project = false } = action.server;
    const edit = { name, isProject: project };
    const file =
      action.name === "add"
        ? addServer(edit, definitionOf(action.server), invocation)
        : removeServer(edit, invocation);
    const done = action.name === "add" ? "Added" : "Removed";
    io.stdout(action.json ? jsonText({ name, file }) : `${done} ${name}: ${file}\n`);
    return 0;
  };
  return await interruptible((interruption) => withErrorLine(io, perform(interruption), () => 2));
}

/** Each is tried: a list that says nothing about whether a server works is of little use. */
async function connected(
  io: CommandIo,
  invocation: Invocation,
  signal: AbortSignal,
): Promise<readonly McpServerStatus[]> {
  const workspace = await openWorkspace(invocation, io);
  const sandbox = workspace.settings.mcp.sandbox ? await openSandbox(workspace, undefined) : undefined;
  const mcp = openSessionMcp({
    workspace,
    artifacts: () => {
      throw new Error("listing servers calls no tools");
    },
    approve: (tool) => tool,
    sandbox: () => sandbox,
    // The list says what has failed.
    warn: () => undefined,
  });
  try {
    await mcp?.tried(signal);
    return mcp?.servers ?? [];
  } finally {
    await mcp?.close();
    sandbox?.close();
  }
}

function listed({ tools, problem, ...server }: McpServerStatus) {
  return { ...server, problem: problem ?? null, tools: tools.map(({ name }) => name) };
}

function listText(servers: readonly McpServerStatus[]): string {
  if (servers.length === 0)
    return "No MCP servers. Add one: omp mcp add <name> -- <command>, or --url <address>\n";
  return tableText(
    servers.map(({ name, origin, target, state, problem, tools }) => {
      const outcome = problem ?? (state === "ready" ? count(tools.length, "tool") : state);
      return [name, origin, state === "ready" ? "works" : "failed", `${target}\n    ${outcome}`];
    }),
  );
}

function definitionOf({ command: [program, ...args], url, env, header }: McpAddOptions): object {
  if ((program === undefined) === (url === undefined))
    throw usageError("give either a command after --, or --url");
  if (program === undefined) {
    if (env !== undefined) throw usageError("use --env with a command, --header with --url");
    // What a variable will stand for is not known yet.
    if (!url?.includes("${") && !/^https?:$/.test(URL.parse(url ?? "")?.protocol ?? ""))
      throw usageError(`'${url}' is not an http(s) address`);
    return {
      type: "http",
      url,
      ...(header === undefined ? {} : { headers: pairs(header, /:\s*/, "Name: value") }),
    };
  }
  if (header !== undefined) throw usageError("use --header with --url, --env with a command");
  return {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env === undefined ? {} : { env: pairs(env, /=/, "NAME=value") }),
  };
}

function pairs(texts: readonly string[], separator: RegExp, form: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const found = separator.exec(text);
      if (found === null || found.index === 0) throw usageError(`'${text}' is not ${form}`);
      return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
    }),
  );
}

function usageError(issue: string): OmpError {
  return new OmpError({ operation: "omp mcp add", issue, code: "USAGE" });
}
