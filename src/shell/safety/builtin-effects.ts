/** Commands of the shell itself. */

import type { CommandCall, Effect } from "./command-effects.ts";
import { optionsOf } from "./options.ts";
import { ansiQuoted, everythingBelow, plainText, unknown } from "./word-value.ts";

/** Lines that a loop over known input is followed for. */
const lineLimit = 16;

export const shellBuiltins: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ["cd", changeDirectory],
  ["chdir", changeDirectory],
  ["pushd", changeDirectory],
  [
    "popd",
    ({ state }) => {
      state.directories = [unknown];
      return "";
    },
  ],
  ["eval", ({ argv, ...call }) => scriptHere(call, argv.slice(1).join(" "))],
  ["source", sourceFile],
  [".", sourceFile],
  ["trap", onSignal],
  ["alias", defineAliases],
  ["hash", renameProgram],
  ["read", (call) => readLines(call, "adinNptu")],
  ["mapfile", (call) => readLines(call, "dnOsuCc")],
  ["readarray", (call) => readLines(call, "dnOsuCc")],
  ["set", setPositional],
  [
    "shift",
    ({ state }) => {
      state.positional = state.positional?.slice(1);
      return "";
    },
  ],
  ["export", assignWords],
  ["declare", assignWords],
  ["typeset", assignWords],
  ["local", assignWords],
  ["readonly", assignWords],
  ["echo", echo],
  ["printf", print],
  ["pwd", ({ state }) => `${state.directories[0] ?? unknown}\n`],
  ["true", () => ""],
  [":", () => ""],
  ["exit", () => ""],
  ["return", () => ""],
]);

function changeDirectory({ argv, state, reader }: CommandCall): string {
  const { operands } = optionsOf(argv.slice(1));
  const [target] = operands;
  if (target === "-") state.directories = [unknown];
  else reader.go(state, target === undefined ? state.values("HOME") : operands);
  return "";
}

function scriptHere(call: Omit<CommandCall, "argv">, text: string): string {
  if (text.includes(unknown)) call.state.isOpen = true;
  return call.reader.script(plainText(text), call.state, call.stdin);
}

function sourceFile({ argv, ...call }: CommandCall): string | undefined {
  const text = call.reader.fileText(argv[1] ?? "", call.stdin);
  if (text === undefined) call.state.isOpen = true;
  return text === undefined ? undefined : scriptHere(call, text);
}

/** `trap 'rm -rf "$x"' EXIT`: the text runs later, with what is known then or now. */
function onSignal({ argv, ...call }: CommandCall): string {
  const { operands } = optionsOf(argv.slice(1));
  const [action] = operands;
  if (action !== undefined && operands.length > 1 && action !== "-") {
    scriptHere({ ...call, state: call.state.fork() }, action);
  }
  return "";
}

/** What an alias stands for is read where it is made: who uses it comes later. */
function defineAliases({ argv, ...call }: CommandCall): string {
  for (const word of argv.slice(1)) {
    const [, text] = /^[^=]+=(.+)$/s.exec(word) ?? [];
    if (text !== undefined) scriptHere({ ...call, state: call.state.fork() }, text);
  }
  return "";
}

/** `hash -p /bin/rm tidy`: from then on `tidy` is `rm`. */
function renameProgram({ argv, ...call }: CommandCall): string {
  const { options, operands } = optionsOf(argv.slice(1), { values: ["p"] });
  const program = options.find(({ name }) => name === "p")?.value;
  for (const name of program === undefined ? [] : operands) {
    if (/^[\w.-]+$/.test(name)) scriptHere(call, `${name}() { ${program} "$@"; }`);
  }
  return "";
}

function readLines({ argv, ...call }: CommandCall, optionsWithValues: string): string {
  const { state, stdin, reader } = call;
  const { options, operands } = optionsOf(argv.slice(1), { values: [...optionsWithValues] });
  const callback = options.find(({ name }) => name === "C")?.value;
  if (callback !== undefined) scriptHere({ ...call, state: state.fork() }, callback);
  const lines = stdin === undefined ? [unknown] : stdin.split("\n").filter((line) => line !== "");
  for (const name of operands) reader.assign(state, name, lines.slice(0, lineLimit));
  return "";
}

function setPositional({ argv, state }: CommandCall): string {
  const start = argv.indexOf("--");
  if (start !== -1) state.positional = argv.slice(start + 1);
  return "";
}

/** Where the grammar does not see a declaration: `command export A=b`, `"export" A=b`. */
function assignWords({ argv, state, reader }: CommandCall): string {
  for (const word of argv.slice(1)) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) reader.assign(state, name, [value]);
  }
  return "";
}

function echo({ argv }: CommandCall): string {
  let words = argv.slice(1);
  let newline = "\n";
  let escapes = false;
  while (words[0] !== undefined && /^-[neE]+$/.test(words[0])) {
    if (words[0].includes("n")) newline = "";
    if (words[0].includes("e")) escapes = true;
    words = words.slice(1);
  }
  const text = plainText(words.join(" "));
  return (escapes ? ansiQuoted(text) : text) + newline;
}

/** `%s` and its like take the arguments in turn; the format is used again while there are more. */
function print({ argv, state, reader }: CommandCall): string {
  const { options, operands } = optionsOf(argv.slice(1), { values: ["v"] }, { permuted: false });
  const [format = "", ...args] = operands.map(plainText);
  const waiting = [...args];
  let text = "";
  do {
    const before = waiting.length;
    text += ansiQuoted(format).replace(/%(%|[-+ #0-9.*]*[a-zA-Z])/g, (_, kind: string) =>
      kind === "%" ? "%" : (waiting.shift() ?? ""),
    );
    if (waiting.length === before) break;
  } while (waiting.length > 0 && text.length < 100_000);
  const variable = options.find((option) => option.name === "v")?.value;
  if (variable === undefined) return text;
  reader.assign(state, variable, [text.replaceAll(everythingBelow, "")]);
  return "";
}
