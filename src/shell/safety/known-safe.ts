/**
 * What runs without a question in the `ask` mode: a command all of whose parts are known to be generally safe, that writes
 * to no file by redirection. Whatever is not known is not safe.
 */

import { programName } from "./options.ts";
import { loadParser } from "./parser.ts";
import type { ReadCommand, Reading } from "./reading.ts";
import { isSafeProgram, transparentWrappers } from "./safe-programs.ts";
import { readScript } from "./script-reader.ts";
import type { ShellPlace } from "./shell-state.ts";
import { unknown } from "./word-value.ts";

/** Where a relative path leads makes no difference to this question. */
const anywhere: ShellPlace = { home: "/home/user", cwd: "/home/user/project" };

export async function isKnownSafe(command: string): Promise<boolean> {
  return isSafeReading(readScript(command, anywhere, await loadParser()));
}

export function isSafeReading(reading: Reading): boolean {
  return unsafeCommands(reading)?.length === 0;
}

/** The commands that are not known to be safe; undefined when there is more to it than commands. */
export function unsafeCommands(reading: Reading): readonly ReadCommand[] | undefined {
  if (reading.unread.length > 0 || reading.functions.length > 0) return undefined;
  if (!reading.variables.every(isHarmlessVariable)) return undefined;
  if (reading.commands.some((command) => !isHarmlessAround(command))) return undefined;
  const parents = new Set(reading.commands.map((command) => command.parent));
  return reading.commands.filter((command) => !isSafeCommand(command, parents.has(command)));
}

function isSafeCommand({ argv, parent }: ReadCommand, runsAnother: boolean): boolean {
  const [word] = argv;
  if (word === undefined) return true;
  // `./git` is somebody's own program.
  const name = /^(\/usr(\/local)?)?\/s?bin\//.test(word) ? programName(word) : word;
  if (name.includes("/") || name.includes(unknown)) return false;
  // `command -v` only looks a name up.
  const looksUp = name === "command" && /^-[vV]$/.test(argv[1] ?? "");
  if (transparentWrappers.has(name)) return runsAnother || looksUp;
  const parentName = programName(parent?.argv[0] ?? "");
  return isSafeProgram(name, argv.slice(1), { argumentsUnknown: parentName === "xargs" });
}

/** Redirections: reading is fine, and so is throwing away. Assignments for one command only of names that steer nothing. */
function isHarmlessAround({ redirections, assignments }: ReadCommand): boolean {
  return (
    assignments.every((name) => harmlessAssignments.test(name)) &&
    redirections.every(
      ({ operator, targets }) =>
        (operator.startsWith("<") && operator !== "<>") ||
        targets.every((target) => ["/dev/null", "/dev/stdout", "/dev/stderr"].includes(target)) ||
        (operator.endsWith("&") && targets.every((target) => /^\d*-?$/.test(target))),
    )
  );
}

const harmlessAssignments =
  /^(NODE_ENV|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|DEBUG|VERBOSE)$/;

/** Programs take their settings from names in capitals, and npm from `npm_…`. */
function isHarmlessVariable(name: string): boolean {
  return harmlessAssignments.test(name) || (/^[a-z][a-z0-9_]*$/.test(name) && !/^npm_|_proxy$/.test(name));
}
