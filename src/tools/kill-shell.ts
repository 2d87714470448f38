/** `kill_shell`: ends a background shell with everything that it started, or cleans up those that have ended. */

import * as z from "zod";
import prompt from "../../prompts/tools/kill_shell.md" with { type: "text" };
import { count } from "../format/numbers.ts";
import type { Tool, ToolResult } from "../protocol/index.ts";
import type { Shells } from "../shell/shells.ts";
import { defineTool } from "./define-tool.ts";
import {
  describeStatus,
  findShell,
  isOneShell,
  readShellId,
  shellIdField,
  shellIdFields,
  twoShells,
} from "./shell-ids.ts";

const schema = z
  .strictObject(shellIdFields)
  .refine((input) => readShellId(input) !== undefined, { error: "field 'shell_id' is required" })
  .refine(isOneShell, twoShells);

const shown = z.strictObject({ shell_id: shellIdField });

export type KillShellInput = z.output<typeof schema>;

export interface KillShellToolOptions {
  readonly shells: () => Shells;
}

export function killShellTool({ shells }: KillShellToolOptions): Tool<KillShellInput> {
  return defineTool({
    name: "kill_shell",
    prompt,
    schema,
    shown: () => shown,
    concurrency: "parallel",
    readOnly: false,
    summary: (input) => readShellId(input) ?? "",
    run: (input) => kill(readShellId(input) ?? "", shells()),
  });
}

/** Stands for all shells that have ended. */
const ALL_ENDED = "ended";

function cleanUp({ background }: Shells): ToolResult {
  const removed = background.cleanUp();
  const left = background.list().length;
  const rest = left === 0 ? "none is left" : `${left} ${left === 1 ? "is" : "are"} left`;
  const kept = removed.length === 0 ? "" : " Their output is kept.";
  return {
    isError: false,
    output: `Cleaned up ${count(removed.length, "ended shell")}; ${rest}.${kept}`,
    details: { cleanedUp: removed.length, shells: removed.map(({ id }) => id) },
  };
}

async function kill(id: string, shells: Shells): Promise<ToolResult> {
  if (id === ALL_ENDED) return cleanUp(shells);
  const shell = findShell("kill_shell", id, shells);
  const before = describeStatus(shell);
  const wasRunning = shell.status === "running";
  const killed = await shell.kill({ isTold: true });
  const output = !killed
    ? `Shell ${id} has already ended (${before}); nothing to stop.`
    : wasRunning
      ? `Shell ${id} terminated.`
      : `Shell ${id} had already ended (${before}); what it had left running is terminated.`;
  return {
    isError: false,
    output,
    details: { shellId: id, status: shell.status, exitCode: shell.exitCode, signal: shell.signal, killed },
  };
}
