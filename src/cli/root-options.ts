/** Options of `omp` itself before a command's name: they apply to the command or are refused. None is ignored. */

import type { Command, Option } from "commander";

/** Every command takes them, anywhere on the line. */
const takenByAll: readonly string[] = ["cwd", "trust"];

/** To be called before a command runs. Throws CommanderError. */
export function passRootOptions(program: Command, command: Command): void {
  if (command === program) return;
  for (const option of givenOptions(program)) {
    const key = option.attributeName();
    if (!command.options.some(({ long }) => long === option.long)) refuse(option, command);
    // The one after the name was written for this command.
    if (command.getOptionValueSource(key) !== "cli")
      command.setOptionValueWithSource(key, program.getOptionValue(key), "cli");
  }
}

function givenOptions(program: Command): readonly Option[] {
  return program.options.filter((option) => {
    const key = option.attributeName();
    if (takenByAll.includes(key) || program.getOptionValueSource(key) !== "cli") return false;
    // `--tools` and `--no-tools` have one value.
    return option.negate === (program.getOptionValue(key) === false);
  });
}

function refuse({ long, short }: Option, command: Command): never {
  const path = commandPath(command);
  const advice = long === "--print" ? `; to send '${path[1]}' as a prompt: omp -p -- ${path[1]}` : "";
  return command.error(`error: ${long ?? short} cannot be used with '${path.join(" ")}'${advice}`);
}

/** `["omp", "sessions", "rm"]`. */
export function commandPath(command: Command): readonly string[] {
  return [...(command.parent ? commandPath(command.parent) : []), command.name()];
}
