/** The table of `/` commands. Help, menu and completion are made from it. */

import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { keyHelp } from "../ui/input/key-help.ts";
import type { CommandRow } from "../ui/store/actions.ts";
import { artifacts } from "./artifact-command.ts";
import {
  answer,
  type Command,
  type CommandCall,
  type CommandHost,
  inform,
  type OpenCall,
  type TableRow,
  whileIdle,
  withSession,
} from "./command.ts";
import type { CommandRunner } from "./conversation.ts";
import { cost, kernel, shells, tools } from "./inquiries.ts";
import { demo, model } from "./model-commands.ts";
import { exportSession, fork, resume } from "./session-commands.ts";
import { settings, theme } from "./settings-commands.ts";

const table: readonly Command[] = [
  { name: "help", description: "commands, keys, and what can be typed", run: help },
  { name: "model", description: "pick another model, or /model <provider/id>", run: withSession(model) },
  { name: "tools", description: "what the model can call", run: withSession(tools) },
  { name: "kernel", description: "the Python kernel: its state and interpreter", run: kernel },
  { name: "reset", description: "start from an empty Python kernel", run: reset },
  { name: "shells", description: "background shells; /shells kill <id> ends one", run: withSession(shells) },
  {
    name: "artifacts",
    description: "read a full output on disk, or /artifacts <id>",
    run: withSession(artifacts),
  },
  { name: "resume", description: "resume another session, or /resume <id>", run: whileIdle(resume) },
  { name: "fork", description: "continue in a copy of this session", run: whileIdle(fork) },
  {
    name: "export",
    description: "write this session to a file: /export [file.md or .html]",
    run: withSession(exportSession),
  },
  {
    name: "compact",
    description: "replace the conversation so far with a summary",
    run: withSession(compact),
  },
  { name: "cost", description: "tokens and cost so far", run: cost },
  { name: "settings", description: "see and change settings: /settings [key [value]]", run: settings },
  { name: "theme", description: "colours: /theme [auto, dark, light, 16, none]", run: theme },
  {
    name: "hotkeys",
    description: "what the keys do",
    run: (call) => answer(call, { title: "Keys", rows: keyHelp }),
  },
  { name: "demo", description: "a tour of the tools, without a model", run: whileIdle(demo) },
  { name: "quit", description: "end the session", run: ({ conversation }) => conversation.quit() },
];

export const commandRows: readonly CommandRow[] = table.map(({ name, description }) => ({
  name,
  description,
}));

export function commandRunner(invocation: Invocation, host: CommandHost): CommandRunner {
  return async (line, conversation) => {
    const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const call: CommandCall = { argument: argument.trim(), conversation, invocation, host };
    const command = table.find((row) => row.name === name);
    if (!command) {
      inform(call, `There is no command /${name}; /help lists them.`);
      return;
    }
    try {
      await command.run(call);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      conversation.store.dispatch({ type: "told", tone: "error", text: error.message });
    }
  };
}

const typed: readonly TableRow[] = [
  ["text", "ask the model"],
  ["@path", "mention a file of the project"],
  ["!command", "run it in the agent's shell; !! hides it from the model"],
  ["$code", "run it in the agent's Python kernel; $$ hides it from the model"],
];

function help(call: CommandCall): void {
  const commands = table.map(({ name, description }): TableRow => [`/${name}`, description]);
  answer(call, { title: "What can be typed", rows: typed });
  answer(call, { title: "Commands", rows: commands });
  answer(call, { title: "Keys", rows: keyHelp });
}

async function reset({ conversation }: CommandCall): Promise<void> {
  const input = { cells: [{ code: "pass", title: "reset" }], reset: true };
  await conversation.call({ tool: "python", input, code: "", isTold: false });
}

async function compact({ conversation, session }: OpenCall): Promise<void> {
  await conversation.alone("summarizing", false, (signal) => conversation.show(session.compact(signal)));
}
