/** What the shell's own commands do to it (`cd`, `read`), and what they print where that is simple (`echo`). */

import type { Follower } from "./follow.ts";
import { ansiQuoted, everythingBelow, plainText, unknown } from "./marks.ts";
import { optionsOf } from "./options.ts";
import type { ShellState } from "./shell-state.ts";

export interface CommandCall {
  /** Without its directory. */
  readonly name: string;
  readonly args: readonly string[];
  readonly state: ShellState;
  readonly source: string;
  readonly follower: Follower;
}

/** Gives what the command prints; undefined when that is not known. */
export type Effect = (call: CommandCall) => string | undefined;

/** Lines that a loop over known input is followed for. */
const LINE_LIMIT = 16;
export const builtins: readonly [string, Effect][] = [
  ...alike("cd chdir pushd", changeDirectory),
  ["popd", ({ state }) => goAnywhere(state)],
  ["eval", (call) => runHere(call, call.args.join(" "))],
  ...alike("source .", sourceFile),
  // Its text runs later, with what is known then or now.
  ["trap", (call) => runLater(call, optionsOf(call.args).operands.slice(0, -1))],
  // What an alias stands for is read where it is made: who uses it comes later.
  [
    "alias",
    (call) =>
      runLater(
        call,
        call.args.map((word) => word.replace(/^[^=]+=?/, "")),
      ),
  ],
  ["hash", renameProgram],
  ...alike("read mapfile readarray", readLines),
  ["set", setWords],
  ["shift", ({ state }) => setPositional(state, state.positional?.slice(1))],
  ...alike("export declare typeset local readonly", assignWords),
  ["unset", unsetNames],
  ["echo", echo],
  ["printf", print],
  ["pwd", ({ state }) => `${state.directories[0] ?? unknown}\n`],
];

export function alike(names: string, effect: Effect): [string, Effect][] {
  return names.split(" ").map((name) => [name, effect]);
}

function changeDirectory({ args, state, follower }: CommandCall): string {
  const { operands } = optionsOf(args);
  if (operands[0] === "-") return goAnywhere(state);
  follower.go(state, operands.length === 0 ? state.values("HOME") : operands);
  return "";
}

export function goAnywhere(state: ShellState): string {
  state.directories = [unknown];
  return "";
}

function runHere({ state, follower }: CommandCall, text: string): string {
  state.isOpen ||= text.includes(unknown);
  return follower.script(text, state);
}

function runLater(call: CommandCall, texts: readonly string[]): string {
  for (const text of texts) runHere({ ...call, state: call.state.fork() }, text);
  return "";
}

function sourceFile(call: CommandCall): string | undefined {
  const text = call.follower.fileText(call.args[0] ?? "", call.state);
  if (text !== undefined) return runHere(call, text);
  call.state.isOpen = true;
  return undefined;
}

/** `hash -p /bin/rm tidy`: from then on `tidy` is `rm`. */
function renameProgram(call: CommandCall): string {
  const { options, operands } = optionsOf(call.args, { values: ["p"] });
  const program = options.find(({ name }) => name === "p")?.value;
  for (const name of program === undefined ? [] : operands) {
    if (/^[\w.-]+$/.test(name)) runHere(call, `${name}() { ${program} "$@"; }`);
  }
  return "";
}

function readLines(call: CommandCall): string {
  const { name: program, args, state, follower } = call;
  const values = program === "read" ? [..."adinNptu"] : [..."dnOsuCc"];
  const { options, operands } = optionsOf(args, { values });
  runLater(
    call,
    options.flatMap(({ name, value = "" }) => (name === "C" ? [value] : [])),
  );
  const lines = (state.stdin ?? unknown).split("\n").filter((line) => line !== "");
  for (const name of operands) follower.assign(state, name, lines.slice(0, LINE_LIMIT));
  return "";
}

function setWords({ args, state }: CommandCall): string {
  return setPositional(state, args.includes("--") ? args.slice(args.indexOf("--") + 1) : state.positional);
}

function setPositional(state: ShellState, words: readonly string[] | undefined): string {
  state.positional = words;
  return "";
}

function assignWords({ args, state, follower }: CommandCall): string {
  const given = new Map<string, string[]>();
  for (const word of args) {
    const [, name, value = ""] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word) ?? [];
    if (name !== undefined) given.set(name, [...(given.get(name) ?? []), value]);
    // `export $(cat .env)`
    else if (word.includes(unknown)) state.isOpen = true;
  }
  for (const [name, values] of given) follower.assign(state, name, values);
  return "";
}

function unsetNames({ args, state }: CommandCall): string {
  const { options, operands } = optionsOf(args);
  for (const name of options.some(({ name }) => name === "f") ? [] : operands) state.assign(name, [""]);
  return "";
}

function echo({ args }: CommandCall): string {
  const from = args.findIndex((word) => !/^-[neE]+$/.test(word));
  const words = from === -1 ? [] : args.slice(from);
  const options = args.slice(0, args.length - words.length).join("");
  const text = plainText(words.join(" "));
  return (options.includes("e") ? ansiQuoted(text) : text) + (options.includes("n") ? "" : "\n");
}

/** `%s` and its like take the arguments in turn; the format is used again while there are more. */
function print({ args, state, follower }: CommandCall): string {
  const { options, operands } = optionsOf(args, { values: ["v"] }, { permuted: false });
  const [format = "", ...waiting] = operands.map(plainText);
  let text = "";
  for (
    let before = -1;
    before !== waiting.length && text.length < 100_000 && (before === -1 || waiting.length > 0);
  ) {
    before = waiting.length;
    text += ansiQuoted(format).replace(/%(%|[-+ #0-9.*]*[a-zA-Z])/g, (_, kind: string) =>
      kind === "%" ? "%" : (waiting.shift() ?? ""),
    );
  }
  const variable = options.find((option) => option.name === "v")?.value;
  if (variable === undefined) return text;
  follower.assign(state, variable, [text.replaceAll(everythingBelow, "")]);
  return "";
}
