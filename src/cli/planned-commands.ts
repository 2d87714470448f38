/** Commands that are planned and not there yet: their names are refused in one line, and never sent to a model as a prompt. */

import type { Command } from "commander";
import { commandPath } from "./root-options.ts";

export function addPlannedCommands(parent: Command, ...names: readonly string[]): void {
  for (const name of names) {
    parent
      .command(name, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action((_options: unknown, command: Command) => {
        const isRoot = parent.parent === null;
        const advice = isRoot ? `; to send the word as a prompt: omp -- ${name}` : "";
        command.error(
          `error: '${commandPath(command).join(" ")}' is planned, but this version does not have it yet${advice}`,
        );
      });
  }
}
