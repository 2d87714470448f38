/** Which other commands a program runs (`sudo`, `sh -c`, `xargs`, `find -exec`), and what it prints where that is worth following. */

import { alike, builtins, type CommandCall, type Effect, goAnywhere } from "./builtins.ts";
import { findActions } from "./find-arguments.ts";
import { anyText, everythingBelow, unknown } from "./marks.ts";
import { optionsOf } from "./options.ts";

/** Arguments that `xargs` is followed for. */
const ARGUMENT_LIMIT = 64;

/** A program that is not known may run another, as `$(command -v sudo)` does, or be nothing at all. */
export function effectOf(name: string): Effect | undefined {
  return effects.get(name) ?? (name.includes(unknown) ? (call) => runWrapped(call, 0) : undefined);
}

/** Programs whose arguments are another command, by how many words of their own come before it. */
const wrappers: readonly string[] = [
  "sudo doas env nice ionice nohup setsid linux32 linux64 time command builtin exec stdbuf unbuffer strace ltrace caffeinate busybox " +
    "toybox systemd-run unshare nsenter fakeroot firejail prlimit numactl dbus-run-session xvfb-run",
  "setarch timeout gtimeout chrt taskset flock script chroot uv poetry",
  "su runuser",
];

const effects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ...wrappers.flatMap((names, own) => alike(names, (call) => runWrapped(call, own))),
  ["watch", (call) => runJoined(call, 0)],
  ["ssh", (call) => runJoined(call, 1)],
  ...alike("sh bash dash zsh ksh mksh ash fish rbash", shell),
  ...alike("cat sort uniq tac", passInput),
  ["tee", ({ state }) => state.stdin],
  ["find", find],
  ["ls", listNames],
  ...alike("xargs parallel", feed),
  ...builtins,
]);

/**
 * The command inside comes after options, each of which may take a word, after assignments and after the program's own words. It is run
 * wherever it may start: a word that is no command does no harm. With spaces in it, it is a script.
 */
function runWrapped(call: CommandCall, own: number): string | undefined {
  const { name, args, source, follower } = call;
  // These run in this very shell.
  const state = /^(?:command|builtin|time)$/.test(name) ? call.state : call.state.fork();
  let left = own;
  let option: string | undefined;
  let output: string | undefined;
  for (const [at, word] of args.entries()) {
    const [, variable, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (variable !== undefined) state.assign(variable, [value]);
    else if (/^-./.test(word)) option = word;
    if (variable !== undefined || /^-./.test(word)) continue;
    const before = args[at - 1] ?? "";
    if (/^(?:env|sudo)$/.test(name) && /^(?:-[CD]|--chdir)$/.test(before)) follower.go(state, [word]);
    const rest = args.slice(at);
    if (/\s/.test(word)) output = follower.script(rest.join(" "), state);
    else if (option !== undefined || left === 0) output = follower.run(rest, state, source);
    if (!/^-[^=]+$/.test(before)) left -= 1;
    if (left < 0) break;
  }
  return output;
}

/** The words after the program's own are joined, and given to a shell. */
function runJoined({ args, state, follower }: CommandCall, own: number): string {
  const values = own === 0 ? [..."nq", "interval"] : [..."BbcDEeFIiJLlmOopPQRSWw"];
  const { operands } = optionsOf(args, { values }, { permuted: false });
  return follower.script(operands.slice(own).join(" "), state.fork());
}

/** `bash -lc '…' name args`, `sh -s args`, `sh < script`, `bash <(…)`. */
function shell({ args, state, follower }: CommandCall): string | undefined {
  const words = args.filter((word) => !/^\+\w+$/.test(word));
  const { options, operands } = optionsOf(
    words,
    { values: ["o", "O", "rcfile", "init-file"] },
    { permuted: false },
  );
  const has = (letter: string) => options.some(({ name }) => name === letter);
  const [first] = operands;
  const inside = state.fork();
  const isInput = has("s") || first === undefined;
  const text = has("c") ? first : isInput ? state.stdin : follower.fileText(first, state);
  inside.positional = operands.slice(has("c") ? 2 : isInput ? 0 : 1);
  if (!has("c")) inside.stdin = undefined;
  return text === undefined ? undefined : follower.script(text, inside);
}

function passInput({ args, state, follower }: CommandCall): string | undefined {
  const { operands } = optionsOf(args, { values: [..."nckt"] });
  if (operands.length === 0) return state.stdin;
  return operands.map((path) => follower.fileText(path, state) ?? `${unknown}\n`).join("");
}

/** The names in a directory are as good as a wildcard: `cd / && ls | xargs rm -rf`. */
function listNames({ args }: CommandCall): string {
  const { options, operands } = optionsOf(args, { values: [..."ITw"] });
  const asNamed = options.some(({ name }) => name === "d" || name === "directory");
  return asNamed ? operands.map((path) => `${path}\n`).join("") : `${anyText}\n`;
}

/** What it lists goes on through pipes; what it runs, it runs with what it found. */
function find({ args, state, source, follower }: CommandCall): string {
  const { starts, commands, takesAll } = findActions(args);
  const found = takesAll ? starts.map((start) => start + everythingBelow) : [unknown];
  for (const { words, inPlace } of commands) {
    const inside = state.fork();
    if (inPlace) goAnywhere(inside);
    follower.run(filled(words, "{}", found), inside, source);
  }
  return found.map((path) => `${path}\n`).join("");
}

/** The words with each placeholder replaced by what it stands for. */
function filled(words: readonly string[], placeholder: string, items: readonly string[]): string[] {
  return words.flatMap((word) =>
    word === placeholder ? items : [word.replaceAll(placeholder, items[0] ?? unknown)],
  );
}

/** `xargs`, and `parallel rm -rf ::: a b`. */
function feed({ name, args, state, source, follower }: CommandCall): string | undefined {
  const values = [
    ..."adEILnNPsj",
    "arg-file",
    "delimiter",
    "eof",
    "max-args",
    "max-procs",
    "max-chars",
    "jobs",
  ];
  const { options, operands } = optionsOf(args, { values }, { permuted: false });
  const option = (...names: string[]) => options.find(({ name }) => names.includes(name));
  const marker = operands.findIndex((word) => /^::::?\+?$/.test(word));
  const words = marker === -1 ? operands : operands.slice(0, marker);
  const replace = option("I", "i", "replace");
  const placeholder = replace?.value ?? "{}";
  const hasPlaceholder =
    words.some((word) => word.includes(placeholder)) && (replace !== undefined || name === "parallel");
  const byLine = hasPlaceholder || option("d", "delimiter", "0", "null", "L") !== undefined;
  const input = (state.stdin ?? unknown).split(byLine ? /[\n\0]/ : /\s+/).filter((item) => item !== "");
  const given =
    marker === -1 ? input.map((item) => item.replace(/^(["'])(.*)\1$/s, "$2")) : operands.slice(marker + 1);
  const items = given.slice(0, ARGUMENT_LIMIT);
  if (words.length === 0) return items.join(" ");
  const command = hasPlaceholder ? filled(words, placeholder, items) : [...words, ...items];
  return /\s/.test(command[0] ?? "")
    ? follower.script(command.join(" "), state.fork())
    : follower.run(command, state.fork(), source);
}
