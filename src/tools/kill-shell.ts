/** `kill_shell`: ends a background shell with everything that it started. */

import * as z from "zod";
import prompt from "../../prompts/tools/kill_shell.md" with { type: "text" };
import type { Tool, ToolResult } from "../protocol/index.ts";
import type { Shells } from "../shell/shells.ts";
import { defineTool } from "./define-tool.ts";
import { describeStatus, findShell, readShellId, shellIdFields } from "./shell-ids.ts";
import { ToolError } from "./tool-error.ts";

const schema = z.strictObject(shellIdFields);

export type KillShellInput = z.output<typeof schema>;

export interface KillShellToolOptions {
  readonly shells: () => Shells;
}

export function killShellTool({ shells }: KillShellToolOptions): Tool<KillShellInput> {
  return defineTool({
    name: "kill_shell",
    prompt,
    schema,
    concurrency: "parallel",
    readOnly: false,
    summary: (input) => input.shell_id ?? input.bash_id ?? "",
    run: (input) => kill(input, shells()),
  });
}

async function kill(input: KillShellInput, shells: Shells): Promise<ToolResult> {
  const id = readShellId("kill_shell", input);
  if (id === undefined) {
    const issue = "field 'shell_id' is required";
    throw new ToolError({ operation: "kill_shell", issue, code: "INVALID_INPUT" });
  }
  const shell = findShell("kill_shell", id, shells);
  const before = describeStatus(shell);
  const wasRunning = shell.status === "running";
  const killed = await shell.kill();
  const output = !killed
    ? `Shell ${id} has already ended (${before}); there is nothing to end.`
    : wasRunning
      ? `Shell ${id} terminated.`
      : `Shell ${id} had already ended (${before}); what it had left running is terminated.`;
  return {
    isError: false,
    output,
    details: { shellId: id, status: shell.status, exitCode: shell.exitCode, signal: shell.signal, killed },
  };
}
