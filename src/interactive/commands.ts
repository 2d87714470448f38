/** The table of `/` commands. Help, menu and completion are made from it. */

import { OmpError } from "../protocol/index.ts";
import { keyHelp } from "../ui/input/key-help.ts";
import type { CommandRow } from "../ui/store/actions.ts";
import { agents } from "./agents-command.ts";
import { approval } from "./approval-command.ts";
import { artifacts } from "./artifact-command.ts";
import { branch, branches } from "./branch-command.ts";
import {
  answer,
  type CommandCall,
  inform,
  type OpenCall,
  type RunCommand,
  type TableRow,
  whileIdle,
  withSession,
} from "./command.ts";
import type { CommandRunner } from "./conversation.ts";
import { copy } from "./copy-command.ts";
import { diff } from "./diff-command.ts";
import { cost, shells, tools } from "./inquiries.ts";
import { kernelCommand } from "./kernel-command.ts";
import { mcp } from "./mcp-command.ts";
import { demo, effort, model } from "./model-commands.ts";
import { rewind } from "./rewind-command.ts";
import { sandbox } from "./sandbox-command.ts";
import { exportSession, fork, resume, startAnew } from "./session-commands.ts";
import { settings, theme } from "./settings-commands.ts";

const commands: readonly (readonly [name: string, description: string, run: RunCommand])[] = [
  ["help", "commands, keys and what you can type", help],
  ["model", "pick another model, or /model <provider/id>", withSession(model)],
  ["effort", "how hard the model thinks: /effort [low, medium, high, default]", withSession(effort)],
  ["approval", "what runs without asking: /approval [auto, ask, read-only]", withSession(approval)],
  ["tools", "what the model can call", withSession(tools)],
  ["mcp", "MCP servers and their state; /mcp <server> shows one", withSession(mcp)],
  ["kernel", "the Python kernel: its state, or /kernel move <gateway>", kernelCommand],
  ["reset", "restart the Python kernel; its variables are lost", reset],
  ["branch", "copy the kernel for $ cells: /branch <name>, main, keep, drop", branch],
  ["branches", "copies of the kernel, their age and memory", branches],
  ["sandbox", "what programs may do: /sandbox [mode]", withSession(sandbox)],
  ["agents", "read what subagents did: /agents [stop <id>]", withSession(agents)],
  ["shells", "background shells: /shells [kill <id>]", withSession(shells)],
  ["artifacts", "read saved output, or /artifacts <id>", withSession(artifacts)],
  ["new", "start a new session", whileIdle(startAnew)],
  ["clear", "the same as /new", whileIdle(startAnew)],
  ["resume", "resume another session, or /resume <id>", whileIdle(resume)],
  ["rewind", "go back: files, variables, conversation; /rewind undo", whileIdle(rewind)],
  ["back", "the same as /rewind", whileIdle(rewind)],
  ["fork", "continue in a copy of this session", whileIdle(fork)],
  ["export", "write this session to a file: /export [file.md or .html]", withSession(exportSession)],
  ["diff", "what this session changed in the project's files", withSession(diff)],
  ["copy", "copy the last answer to the clipboard", withSession(copy)],
  ["init", "have the model write AGENTS.md", init],
  ["compact", "replace the conversation so far with a summary", withSession(compact)],
  ["cost", "tokens and cost so far", cost],
  ["settings", "see and change settings: /settings [key [value]]", settings],
  ["theme", "colours: /theme [auto, dark, light, 16, none]", theme],
  ["hotkeys", "what the keys do", (call) => answer(call, "Keys", keyHelp)],
  ["demo", "a tour of the tools, without a model", whileIdle(demo)],
  ["quit", "end the session", ({ conversation }) => conversation.quit()],
];

export const commandRows: readonly CommandRow[] = commands.map(([name, description]) => ({
  name,
  description,
}));

/** @param given what every call gets. */
export function commandRunner(given: Pick<CommandCall, "invocation" | "screen" | "replace">): CommandRunner {
  return async (line, conversation) => {
    const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const call: CommandCall = { ...given, argument: argument.trim(), conversation };
    const [, , run] = commands.find(([each]) => each === name) ?? [];
    if (!run) return inform(call, `Unknown command /${name}. See /help.`);
    try {
      await run(call);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      conversation.store.dispatch({ type: "notice", tone: "error", text: error.message });
    }
  };
}

const typed: readonly TableRow[] = [
  ["text", "ask the model"],
  ["@path", "mention a file in the project; @server:uri attaches a resource of an MCP server"],
  ["!command", "run a command in the agent's shell; !! hides it from the model"],
  ["$code", "run code in the agent's Python kernel; $$ hides it from the model"],
];

function help(call: CommandCall): void {
  const rows = commands.map(([name, description]): TableRow => [`/${name}`, description]);
  answer(call, "What you can type", typed);
  answer(call, "Commands", rows);
  answer(call, "Keys", keyHelp);
}

async function init({ conversation }: CommandCall): Promise<void> {
  const { default: words } = await import("../../prompts/init.md", { with: { type: "text" } });
  conversation.say(words.trim());
}

async function reset({ conversation }: CommandCall): Promise<void> {
  const input = { cells: [{ code: "pass", title: "reset" }], reset: true };
  const notice = "The user has reset the Python kernel: all variables, imports and other state are gone.";
  await conversation.call({ tool: "python", input, code: "", isReported: false, notice });
}

async function compact({ conversation, session }: OpenCall): Promise<void> {
  await conversation.alone("summarizing", false, (signal) => conversation.show(session.compact(signal)));
}
