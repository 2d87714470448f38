/** The `/` commands, as a table: a name, what it does in a line, and how. Help, menu and completion are made from it. */

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
  type OpenCall,
  type TableRow,
  tell,
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
    description: "read a full output that is kept, or /artifacts <id>",
    run: withSession(artifacts),
  },
  { name: "resume", description: "go on with another session, or /resume <id>", run: whileIdle(resume) },
  { name: "fork", description: "go on in a copy of this session", run: whileIdle(fork) },
  {
    name: "export",
    description: "write this session to a file: /export [file.md or .html]",
    run: withSession(exportSession),
  },
  { name: "compact", description: "replace the conversation so far by a summary", run: withSession(compact) },
  { name: "cost", description: "tokens and money so far", run: cost },
  { name: "settings", description: "see and change settings: /settings [key [value]]", run: settings },
  { name: "theme", description: "colours: /theme [auto, dark, light, 16, none]", run: theme },
  {
    name: "hotkeys",
    description: "what the keys do",
    run: (call) => answer(call, { title: "Keys", rows: keyHelp }),
  },
  { name: "demo", description: "a tour of the tools, without a model", run: whileIdle(demo) },
  { name: "quit", description: "end the session", run: ({ talk }) => talk.quit() },
];

export const commandRows: readonly CommandRow[] = table.map(({ name, description }) => ({
  name,
  description,
}));

export function commandRunner(invocation: Invocation, host: CommandHost): CommandRunner {
  return async (line, talk) => {
    const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const call: CommandCall = { argument: argument.trim(), talk, invocation, host };
    const command = table.find((row) => row.name === name);
    if (!command) {
      tell(call, `There is no command /${name}; /help lists them.`);
      return;
    }
    try {
      await command.run(call);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      talk.store.dispatch({ type: "told", tone: "error", text: error.message });
    }
  };
}

const typed: readonly TableRow[] = [
  ["text", "ask the model"],
  ["@path", "name a file of the project"],
  ["!command", "run it in the agent's shell; !! without telling the model"],
  ["$code", "run it in the agent's Python kernel; $$ without telling the model"],
];

function help(call: CommandCall): void {
  const commands = table.map(({ name, description }): TableRow => [`/${name}`, description]);
  answer(call, { title: "What can be typed", rows: typed });
  answer(call, { title: "Commands", rows: commands });
  answer(call, { title: "Keys", rows: keyHelp });
}

async function reset({ talk }: CommandCall): Promise<void> {
  const input = { cells: [{ code: "pass", title: "reset" }], reset: true };
  await talk.call({ tool: "python", input, code: "", isTold: false });
}

async function compact({ talk, session }: OpenCall): Promise<void> {
  await talk.alone("summing up", false, (signal) => talk.show(session.compact(signal)));
}
