/** `omp mcp`: its commands, arguments and options. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { McpAddOptions } from "../commands/mcp.ts";
import type { McpServeOptions } from "../commands/mcp-serve.ts";
import { approvalOption, kernelOption, type Run, sandboxOption, toolNames } from "./agent-command.ts";

interface Flags extends Pick<McpAddOptions, "url" | "env" | "header" | "project"> {
  readonly json?: boolean;
}

const json = () => new Option("--json", "print JSON");
const project = () => new Option("--project", "use the project's .mcp.json instead of your own list");

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const MAX_PORT = 65_535;

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
    throw new InvalidArgumentError(`it must be a whole number from 0 to ${MAX_PORT}`);
  return port;
}

export function addMcpCommands(program: Command, run: Run): void {
  const mcp = program.command("mcp").description("MCP servers that omp uses, and omp as a server");
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
    .description("add a server: omp mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes")
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
  mcp
    .command("serve")
    .description(
      "give omp's tools to another agent, over stdio: python, bash, exec, python_run and the file tools",
    )
    .option("--http", "over streamable HTTP on 127.0.0.1 instead; prints the address and the token")
    .option("--port <n>", "with --http: the port; a free one if not given", portNumber)
    .option("--tools <names>", "only these tools, separated by commas", toolNames)
    .addOption(approvalOption())
    .addOption(sandboxOption())
    .addOption(kernelOption())
    .option("--json", "with --http: print address and token as JSON")
    .action((options: McpServeOptions) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/mcp-serve.ts")).runMcpServe(options, io, invocation),
      ),
    );
  mcp
    .command("login")
    .description("log in to a server that requires it, with a browser here or on another machine")
    .argument("<name>", "as omp mcp list shows it")
    .action((name: string) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/mcp-login.ts")).runMcpLogin({ name }, io, invocation),
      ),
    );
}
