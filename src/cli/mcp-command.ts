/** `omp mcp`: its commands, arguments and options. */

import { type Command, Option } from "commander";
import type { McpAddOptions } from "../commands/mcp.ts";
import type { Run } from "./agent-command.ts";
import { addPlannedCommands } from "./refused-commands.ts";

interface Flags extends Pick<McpAddOptions, "url" | "env" | "header" | "project"> {
  readonly json?: boolean;
}

const json = () => new Option("--json", "print JSON");
const project = () => new Option("--project", "in the project's .mcp.json instead of your own list");

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function addMcpCommands(program: Command, run: Run): void {
  const mcp = program.command("mcp").description("MCP servers: those that omp uses");
  mcp
    .command("list")
    .description("the servers, whether each works, and how many tools it has")
    .addOption(json())
    .action(({ json }: Flags) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/mcp.ts")).runMcp({ name: "list", json }, io, invocation),
      ),
    );
  mcp
    .command("add")
    .description("add a server: omp mcp add files -- npx -y @modelcontextprotocol/server-filesystem .")
    .argument("<name>", "what it is called here; its tools are mcp__<name>__<tool>")
    .argument("[command...]", "the program and its arguments, after --")
    .option("--url <address>", "a streamable HTTP server instead of a program")
    .option("-e, --env <NAME=value>", "a variable for the program; repeatable", collect)
    .option("-H, --header <name: value>", "a header for every request; repeatable", collect)
    .addOption(project())
    .addOption(json())
    .action((name: string, command: readonly string[], { json, ...options }: Flags) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/mcp.ts")).runMcp(
          { name: "add", server: { name, command, ...options }, json },
          io,
          invocation,
        ),
      ),
    );
  mcp
    .command("remove")
    .description("remove a server")
    .argument("<name>", "as omp mcp list shows it")
    .addOption(project())
    .addOption(json())
    .action((name: string, { json, project }: Flags) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/mcp.ts")).runMcp(
          { name: "remove", server: { name, project }, json },
          io,
          invocation,
        ),
      ),
    );
  addPlannedCommands(mcp, "login", "serve");
}
