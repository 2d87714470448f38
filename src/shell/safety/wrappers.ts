/** Programs whose arguments are another command: `sudo`, `env`, `timeout`, … Finds that command; runs nothing. */

import { type OptionSyntax, optionsOf } from "./options.ts";

interface WrapperSyntax extends OptionSyntax {
  /** Words of its own before the command: `timeout 5 …`. */
  readonly operands?: number;
  /** `NAME=value` may stand before the command. */
  readonly assignments?: boolean;
  /** Options whose value is a script. */
  readonly script?: readonly string[];
  /** Options with which no command runs. */
  readonly none?: readonly string[];
  /** Options that name the directory. */
  readonly directory?: readonly string[];
  /** The words are joined and given to a shell. */
  readonly joined?: boolean;
}

const wrappers = new Map<string, WrapperSyntax>(
  Object.entries({
    sudo: {
      values: [..."ugphCcrtTUDR", "user", "group", "prompt", "host", "chdir", "chroot", "close-from", "role"],
      assignments: true,
      none: ["e", "l", "v", "V", "K", "edit", "list"],
      directory: ["D", "chdir"],
    },
    doas: { values: [..."uCa"], none: ["L"] },
    env: {
      values: [..."uCSa", "unset", "chdir", "split-string", "argv0"],
      assignments: true,
      script: ["S", "split-string"],
      directory: ["C", "chdir"],
    },
    nice: { values: ["n", "adjustment"] },
    ionice: { values: [..."cnpPu", "class", "classdata", "pid"], none: ["p", "P", "u", "pid"] },
    nohup: {},
    setsid: {},
    setarch: { operands: 1 },
    linux32: {},
    linux64: {},
    timeout: { values: [..."sk", "signal", "kill-after"], operands: 1 },
    gtimeout: { values: [..."sk", "signal", "kill-after"], operands: 1 },
    time: { values: [..."fo", "format", "output"] },
    command: { none: ["v", "V"] },
    builtin: {},
    exec: { values: ["a"] },
    stdbuf: { values: [..."ioe", "input", "output", "error"] },
    unbuffer: {},
    chrt: { values: [..."TPD"], operands: 1, none: ["p", "pid"] },
    taskset: { operands: 1, none: ["p", "pid"] },
    flock: {
      values: [..."wEc", "timeout", "conflict-exit-code", "command"],
      operands: 1,
      script: ["c", "command"],
    },
    strace: { values: [..."abeEIoOpPsSuUX"] },
    ltrace: { values: [..."aeElnoOpsuw"] },
    caffeinate: { values: [..."tw"] },
    busybox: {},
    toybox: {},
    watch: { values: [..."nq", "interval"], joined: true },
    su: { values: [..."cCgGsw", "command", "group", "shell"], operands: 99, script: ["c", "command"] },
    runuser: { values: [..."cgGsuw", "command", "user"], operands: 99, script: ["c", "command"] },
    script: { values: [..."cEImoOTB", "command"], operands: 99, script: ["c", "command"] },
    ssh: { values: [..."BbcDEeFIiJLlmOopPQRSWw"], operands: 1, joined: true },
    "systemd-run": { values: [..."pHMu", "property", "unit", "slice", "uid", "gid"], directory: [] },
    coproc: {},
  }),
);

export interface Wrapped {
  /** Either a command … */
  readonly argv: readonly string[];
  /** … or the text of a script. */
  readonly script: string | undefined;
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  readonly directory: string | undefined;
}

/** Words that begin a statement; where the grammar takes them for a command, the command follows. */
const reserved = new Set(["{", "!", "if", "then", "elif", "else", "while", "until", "do"]);

export function isWrapper(name: string): boolean {
  return wrappers.has(name) || reserved.has(name);
}

/** The command inside `argv`, when its first word is a wrapper and there is one. */
export function unwrap(name: string, argv: readonly string[]): Wrapped | undefined {
  const nothing = { script: undefined, assignments: [], directory: undefined };
  if (reserved.has(name)) return { ...nothing, argv: argv.slice(1) };
  const syntax = wrappers.get(name);
  if (syntax === undefined) return undefined;
  // `time { … }`, `coproc name { … }`
  const brace = name === "time" || name === "coproc" ? argv.indexOf("{") : -1;
  if (brace === 1 || brace === 2) return { ...nothing, argv: argv.slice(brace + 1) };

  // `su user -c …` has options after its operands, the others are over with the first one.
  const { options, operands } = optionsOf(argv.slice(1), syntax, { permuted: (syntax.operands ?? 0) > 1 });
  const given = (names: readonly string[] = []) =>
    options.find((option) => names.includes(option.name) && option.value !== undefined)?.value;
  const directory = given(syntax.directory);
  const assignments: { name: string; value: string }[] = [];
  let rest = operands;
  while (syntax.assignments === true && rest[0] !== undefined) {
    const [, variable, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(rest[0]) ?? [];
    if (variable === undefined || value === undefined) break;
    assignments.push({ name: variable, value });
    rest = rest.slice(1);
  }
  const script = given(syntax.script);
  if (script !== undefined) {
    return {
      argv: [],
      script: name === "env" ? [script, ...rest].join(" ") : script,
      assignments,
      directory,
    };
  }
  if (options.some((option) => syntax.none?.includes(option.name))) return undefined;
  rest = rest.slice(syntax.operands ?? 0);
  const [first = "", text] = rest;
  // `flock file -c '…'`
  if (text !== undefined && syntax.script?.includes(first.replace(/^--?/, "")) === true) {
    return { argv: [], script: text, assignments, directory };
  }
  if (rest.length === 0) return undefined;
  return syntax.joined === true
    ? { argv: [], script: rest.join(" "), assignments, directory }
    : { argv: rest, script: undefined, assignments, directory };
}
