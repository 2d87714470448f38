/** The `/` commands, as a table: a name, what it does in a line, and how. */

import { OmpError } from "../../protocol/index.ts";
import type { CommandRow } from "../../ui/actions.ts";
import { keyHelp } from "../../ui/input/key-help.ts";
import type { ModePlace } from "../io.ts";
import {
  answer,
  type Command,
  type CommandCall,
  type OpenCall,
  rows,
  type TableRow,
  tell,
  withSession,
} from "./command.ts";
import type { CommandRunner } from "./conversation.ts";
import { artifacts, cost, exported, fork, kernel, sessions, settings, shells, tools } from "./inquiries.ts";

const table: readonly Command[] = [
  { name: "help", description: "commands, keys, and what can be typed", run: help },
  {
    name: "model",
    description: "show the model, or use another: /model <provider/id>",
    run: withSession(model),
  },
  { name: "tools", description: "what the model can call", run: withSession(tools) },
  { name: "kernel", description: "the Python kernel: its state and interpreter", run: kernel },
  { name: "reset", description: "start from an empty Python kernel", run: reset },
  { name: "shells", description: "background shells and their state", run: withSession(shells) },
  { name: "artifacts", description: "the newest full outputs that are kept", run: withSession(artifacts) },
  { name: "resume", description: "earlier sessions, and how to go on with one", run: withSession(sessions) },
  { name: "fork", description: "how to go on with a copy of this session", run: withSession(fork) },
  { name: "export", description: "how to write this session to a file", run: withSession(exported) },
  { name: "compact", description: "replace the conversation so far by a summary", run: withSession(compact) },
  { name: "cost", description: "tokens and money so far", run: cost },
  { name: "settings", description: "where the settings are", run: withSession(settings) },
  { name: "hotkeys", description: "what the keys do", run: (call) => answer(call, "Keys", rows(keyHelp)) },
  { name: "demo", description: "a tour of the tools, without a model", run: withSession(demo) },
  { name: "quit", description: "end the session", run: ({ talk }) => talk.quit() },
];

export const commandRows: readonly CommandRow[] = table.map(({ name, description }) => ({
  name,
  description,
}));

export function commandRunner(place: ModePlace): CommandRunner {
  return async (line, talk) => {
    const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const call: CommandCall = { argument: argument.trim(), talk, place };
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

function help(call: CommandCall): void {
  const typed: TableRow[] = [
    ["!command", "run it in the agent's shell; !! without telling the model"],
    ["$code", "run it in the agent's Python kernel; $$ without telling the model"],
  ];
  const commands = table.map(({ name, description }): TableRow => [`/${name}`, description]);
  answer(call, "Type what you want, or:", rows([...typed, ...commands, ...keyHelp]));
}

async function model(call: OpenCall): Promise<void> {
  const { argument, talk, place, session } = call;
  if (argument === "") {
    const { model: current } = talk.store.get().facts;
    answer(call, `Model: ${current}`, "Another one: /model <provider/id>. What there is: omp models");
    return;
  }
  const { openModel } = await import("../../models/open-model.ts");
  const { endpoints } = session.services.settings;
  const opened = await openModel(argument, { env: place.env, cwd: place.cwd, endpoints });
  session.agent.switchModel(opened);
  const { name, contextTokens } = opened.facts;
  talk.store.dispatch({ type: "facts", facts: { model: name, contextTokens } });
  tell(call, `From now on: ${name}`);
}

async function reset({ talk }: CommandCall): Promise<void> {
  const input = { cells: [{ code: "pass", title: "reset" }], reset: true };
  await talk.call({ tool: "python", input, code: "", isTold: false });
}

async function compact({ talk, session }: OpenCall): Promise<void> {
  await talk.alone("summing up", false, (signal) => talk.show(session.compact(signal)));
}

/** The demo tells; afterwards the model is the one that it was. */
async function demo({ talk, place, session }: OpenCall): Promise<void> {
  const { openModel } = await import("../../models/open-model.ts");
  const tour = await openModel("demo", { env: place.env, cwd: place.cwd, endpoints: [] });
  session.agent.switchModel(tour);
  try {
    await talk.ask("Show me the tour.");
  } finally {
    session.agent.switchModel(session.model);
  }
}
