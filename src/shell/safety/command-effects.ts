/**
 * What single commands do to the shell (`cd`, `read`), what they print where that is simple (`echo`), and which other
 * commands they run (`sudo`, `sh -c`, `xargs`, `find -exec`).
 */

import { shellBuiltins } from "./builtin-effects.ts";
import { programName } from "./options.ts";
import { programEffects } from "./program-effects.ts";
import type { ScriptReader } from "./script-reader.ts";
import type { ShellState } from "./shell-state.ts";
import { plainText } from "./word-value.ts";
import { isWrapper, unwrap } from "./wrappers.ts";

export interface CommandCall {
  readonly argv: readonly string[];
  readonly state: ShellState;
  /** What is known of its input. */
  readonly stdin: string | undefined;
  readonly source: string;
  readonly reader: ScriptReader;
}

/** Gives what the command prints; undefined when that is not known. */
export type Effect = (call: CommandCall) => string | undefined;

export function effectOf(argv: readonly string[]): Effect | undefined {
  const name = programName(argv[0] ?? "");
  if (isWrapper(name)) return (call) => runWrapped(name, call);
  return shellBuiltins.get(name) ?? programEffects.get(name);
}

function runWrapped(name: string, call: CommandCall): string | undefined {
  const { argv, reader, stdin, source } = call;
  const wrapped = unwrap(name, argv);
  if (wrapped === undefined) return undefined;
  // `command`, `builtin` and the reserved words run in this very shell.
  const inPlace = [
    "command",
    "builtin",
    "time",
    "{",
    "!",
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
  ];
  const state = inPlace.includes(name) ? call.state : call.state.fork();
  for (const { name: variable, value } of wrapped.assignments) state.assign(variable, [value]);
  if (wrapped.directory !== undefined) reader.go(state, [wrapped.directory]);
  return wrapped.script === undefined
    ? reader.run(wrapped.argv, state, { stdin, source })
    : reader.script(plainText(wrapped.script), state, stdin);
}
