/** The command tree as plain data, so that what completes or documents it needs no commander. */

import type { Command } from "commander";
import type { CommandDescription } from "../commands/completion.ts";

export function describeCommand(command: Command): CommandDescription {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(({ long, short, description, required }) => ({
      flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
      description,
      takesValue: required,
    })),
    commands: help
      .visibleCommands(command)
      .filter((child) => child.name() !== "help")
      .map(describeCommand),
  };
}
