/**
 * The reading of a command that is nothing but literal words, without the parser: most commands are, and the first one need not wait for it.
 * Whatever runs other commands, reads them from its input or changes the shell is for the following reader.
 */

import { effectOf } from "./command-effects.ts";
import { findActions } from "./find-arguments.ts";
import { readLiteral } from "./literal-script.ts";
import { absolutePaths } from "./paths.ts";
import { excerptOf, type Reading } from "./reading.ts";
import type { ShellPlace } from "./shell-state.ts";
import { withoutMarks } from "./word-value.ts";

/** Nothing that the shell could take for something else. */
const PROGRAM = /^(?:[A-Za-z0-9_./][\w./-]*|\[|:)$/;
/** They print, and do no more to the shell. */
const PRINTS = new Set("echo printf pwd true : cat ls sort uniq tac".split(" "));

/** The grammar has statements of their own for them, or bash computes their arguments. */
const STATEMENT = /^(?:unset|export|declare|typeset|local|readonly|let)$/;
/** One after the other, in this very shell: only then does `cd` lead where it seems to. */
const ONE_AFTER_THE_OTHER = /^(?:(?!\b(?:if|while|until)\b)[^|(){}&]|&&)*$/;

/** Undefined where it is more than that. */
export function readPlainWords(command: string, place: ShellPlace): Reading | undefined {
  const script = readLiteral(withoutMarks(command), place);
  if (script === undefined || script.loopVariables.length > 0) return undefined;
  const commands: Reading["commands"][number][] = [];
  const destinations: string[] = [];
  let directories: readonly string[] = [place.cwd];
  for (const { words, assignments, source } of script.commands) {
    if (assignments.length > 0 || !words.every(({ kind }) => kind === "literal")) return undefined;
    const argv = words.map(({ text }) => text);
    commands.push({ argv, directories, redirections: [], excerpt: excerptOf(source) });
    const [name = "", target = ""] = argv;
    if (!PROGRAM.test(name) || STATEMENT.test(name) || /\$\(|`/.test(source)) return undefined;
    if (name === "cd" && /^[^-]/.test(target) && argv.length === 2 && ONE_AFTER_THE_OTHER.test(command)) {
      directories = absolutePaths(target, directories);
      destinations.push(...directories);
    } else if (
      name === "find"
        ? findActions(argv).commands.length > 0
        : !PRINTS.has(name) && effectOf(argv) !== undefined
    )
      return undefined;
  }
  return { commands, forkBombs: [], destinations, unread: [], outside: [] };
}
