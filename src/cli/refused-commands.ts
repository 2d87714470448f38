/** Names that are refused in one line and never sent to a model as a prompt: commands to come, and those of oh-my-pi. */

import type { Command } from "commander";
import { commandPath } from "./root-options.ts";

/** Commands that are planned and not there yet. */
export function addPlannedCommands(parent: Command, ...names: readonly string[]): void {
  for (const name of names) {
    addRefusedCommand(parent, name, (command) => {
      const advice = parent.parent === null ? `; ${promptAdvice(command)}` : "";
      return `'${commandPath(command).join(" ")}' is planned but not available in this version${advice}`;
    });
  }
}

/** Commands of oh-my-pi, whose program is called `omp` as well: whoever types one believes to be in that program. */
const foreignCommands =
  "__complete agents auth-broker auth-gateway bench browser-relay cleanse clip collab commit completions compress dry-balance find " +
  "gallery gc git grep grievances if-bench images img install join launch login play plugin plugins predict ps q read render say " +
  "search share shell skill skills ssh stats stream tiny-models token toks ttsr update usage web-search worktree wt";

/** To be called last: a name that we have, too, is ours. */
export function addForeignCommands(program: Command): void {
  const own = new Set(program.commands.map((command) => command.name()));
  for (const name of foreignCommands.split(" ").filter((each) => !own.has(each))) {
    addRefusedCommand(
      program,
      name,
      (command) =>
        `'omp ${name}' is a command of oh-my-pi; this omp (ompy) is a different program; ${promptAdvice(command)}`,
    );
  }
}

function promptAdvice(command: Command): string {
  const prompt = command.args.length > 0 ? `"${command.name()} …"` : `-- ${command.name()}`;
  return `to send it as a prompt: omp ${prompt}`;
}

function addRefusedCommand(parent: Command, name: string, issue: (command: Command) => string): void {
  parent
    .command(name, { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_options: unknown, command: Command) => {
      command.error(`error: ${issue(command)}`);
    });
}
