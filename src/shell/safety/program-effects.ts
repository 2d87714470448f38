/** Programs that run other commands, or whose output is worth following. */

import type { CommandCall, Effect } from "./command-effects.ts";
import { findActions, searchesEverything } from "./find-arguments.ts";
import { optionsOf } from "./options.ts";
import { anyText, everythingBelow, plainText, unknown } from "./word-value.ts";

const shells = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash"];
const passing = ["cat", "tee", "sort", "uniq", "tac"];

/** Arguments that `xargs` is followed for. */
const argumentLimit = 64;

export const programEffects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ...shells.map((name): [string, Effect] => [name, shell]),
  ...passing.map((name): [string, Effect] => [name, passInput]),
  ["find", find],
  ["ls", listNames],
  ["xargs", xargs],
  ["parallel", parallel],
]);

/** `bash -lc '…' name args`, `sh -s args`, `sh < script`, `bash <(…)`. */
function shell({ argv, state, stdin, reader }: CommandCall): string | undefined {
  let isCommand = false;
  let fromInput = false;
  let at = 1;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--" || word === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    if (word.startsWith("--")) {
      if (word === "--rcfile" || word === "--init-file") at += 1;
    } else {
      isCommand ||= word.startsWith("-") && word.includes("c");
      fromInput ||= word.startsWith("-") && word.includes("s");
      if (/[oO]$/.test(word)) at += 1;
    }
  }
  const operands = argv.slice(at);
  const [first] = operands;
  const inside = state.fork();
  if (isCommand) {
    inside.positional = operands.slice(2);
    return first === undefined ? undefined : reader.script(plainText(first), inside, stdin);
  }
  const text = fromInput || first === undefined ? stdin : reader.fileText(first, stdin);
  inside.positional = fromInput ? operands : operands.slice(1);
  return text === undefined ? undefined : reader.script(plainText(text), inside);
}

function passInput({ argv, stdin, reader }: CommandCall): string | undefined {
  const { operands } = optionsOf(argv.slice(1), { values: [..."nckt"] });
  if (programName(argv) === "tee" || operands.length === 0) return stdin;
  const texts = operands.map((path) => reader.fileText(path, stdin));
  return texts.map((text) => text ?? `${unknown}\n`).join("");
}

function programName(argv: readonly string[]): string {
  return argv[0]?.split("/").at(-1) ?? "";
}

/** The names in a directory are as good as a wildcard: `cd / && ls | xargs rm -rf`. */
function listNames({ argv }: CommandCall): string {
  const { options, operands } = optionsOf(argv.slice(1), { values: [..."ITw"] });
  const asNamed = options.some(({ name }) => name === "d" || name === "directory");
  return asNamed ? operands.map((path) => `${path}\n`).join("") : `${anyText}\n`;
}

/** What it lists goes on through pipes; what it runs, it runs with what it found. */
function find({ argv, state, source, reader }: CommandCall): string {
  const { starts, commands } = findActions(argv);
  const found = searchesEverything(argv) ? starts.map((start) => start + everythingBelow) : [unknown];
  for (const { words, inPlace } of commands) {
    const inside = state.fork();
    if (inPlace) inside.directories = [unknown];
    const filled = words.flatMap((word) =>
      word === "{}" ? found : [word.includes("{}") ? word.replaceAll("{}", found[0] ?? "") : word],
    );
    reader.run(filled, inside, { source });
  }
  return found.map((path) => `${path}\n`).join("");
}

function xargs({ argv, state, stdin, source, reader }: CommandCall): string | undefined {
  const { options, operands } = optionsOf(
    argv.slice(1),
    { values: [..."adEILnPs", "arg-file", "delimiter", "eof", "max-args", "max-procs", "max-chars"] },
    { permuted: false },
  );
  const has = (...names: string[]) => options.find((option) => names.includes(option.name));
  const replace = has("I", "replace");
  const placeholder = replace?.value ?? (replace !== undefined || has("i") !== undefined ? "{}" : undefined);
  const byLine = placeholder !== undefined || has("d", "delimiter", "0", "null", "L") !== undefined;
  const input = stdin ?? unknown;
  const given = input.split(byLine ? /[\n\0]/ : /\s+/).filter((item) => item !== "");
  const items = given.slice(0, argumentLimit).map((item) => item.replace(/^(["'])(.*)\1$/s, "$2"));
  if (operands.length === 0) return items.join(" ");
  const filled =
    placeholder === undefined
      ? [...operands, ...items]
      : operands.flatMap((word) =>
          word === placeholder ? items : [word.replaceAll(placeholder, items[0] ?? unknown)],
        );
  return reader.run(filled, state.fork(), { source });
}

/** `parallel rm -rf ::: a b`; without `:::` as xargs, with the command as a script. */
function parallel({ argv, state, stdin, reader }: CommandCall): string | undefined {
  const { operands } = optionsOf(
    argv.slice(1),
    { values: [..."jnNIa", "jobs", "max-args"] },
    { permuted: false },
  );
  const at = operands.findIndex((word) => /^::::?\+?$/.test(word));
  const words = at === -1 ? operands : operands.slice(0, at);
  const items =
    at === -1 ? (stdin ?? unknown).split("\n").filter((line) => line !== "") : operands.slice(at + 1);
  const given = items.slice(0, argumentLimit).join(" ");
  const script = words.join(" ");
  const filled = script.includes("{}") ? script.replaceAll("{}", given) : `${script} ${given}`;
  return reader.script(plainText(filled), state.fork());
}
