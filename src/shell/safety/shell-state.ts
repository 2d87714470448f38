/** What is known about the shell at one point of a script: variables, directory, functions. Every value is a list of what it may be. */

import { basename } from "node:path";
import type { LiveShell } from "./live-shell.ts";
import { unknown, withoutMarks } from "./marks.ts";
import type { List } from "./syntax.ts";

const VALUE_LIMIT = 16;
const LENGTH_LIMIT = 100_000;
/** Scripts that know more names than that are followed without the others. */
const NAME_LIMIT = 500;

export interface ShellPlace {
  readonly home: string;
  readonly cwd: string;
  /** What is known of the shell; undefined where nothing is. */
  readonly shell?: LiveShell | undefined;
  readonly projectRoot?: string | undefined;
  /** Variables may have been set to anything before: none counts as unset. */
  readonly isOpen?: boolean | undefined;
}

/** What the shell computes itself; never empty. */
const DYNAMIC =
  /^(?:_|RANDOM|SRANDOM|SECONDS|EPOCH\w+|LINENO|BASH\w*|FUNCNAME|GROUPS|UID|EUID|PPID|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|SHELL|SHLVL|OPT\w+|REPLY|PIPESTATUS|COMP_\w+|DIRSTACK|MAPFILE|COPROC)$/;

export class ShellState {
  /** A file was read that may have set anything. */
  isOpen: boolean;
  /** Where the shell may stand. */
  directories: readonly string[];
  /** `$1` and on; undefined when the caller is not known. */
  positional: readonly string[] | undefined;
  /** What is known of the input. */
  stdin: string | undefined;
  /** Variables that come from the shell around the script. */
  readonly outside: Set<string>;
  readonly functions: Map<string, List>;
  readonly #variables: Map<string, readonly string[]>;

  constructor(
    readonly place: ShellPlace,
    from?: ShellState,
  ) {
    this.isOpen = from?.isOpen ?? place.isOpen ?? false;
    this.directories = from?.directories ?? [place.cwd];
    this.positional = from?.positional;
    this.stdin = from?.stdin;
    this.outside = from?.outside ?? new Set();
    this.functions = new Map(from?.functions);
    this.#variables = new Map(from === undefined ? [] : from.#variables);
  }

  /** For what runs in a process of its own, or perhaps not at all. */
  fork(): ShellState {
    return new ShellState(this.place, this);
  }

  /** After a choice: what was known on any way is possible. `isTotal`: one of the others is what happened. */
  join(others: readonly ShellState[], { isTotal }: { isTotal: boolean }): void {
    const ways = isTotal ? others : [this, ...others];
    this.isOpen = ways.some(({ isOpen }) => isOpen);
    this.directories = union(ways.map(({ directories }) => directories));
    for (const name of new Set(others.flatMap((other) => [...other.#variables.keys()]))) {
      this.#variables.set(name, union(ways.map((way) => way.values(name))));
    }
    for (const [name, body] of others.flatMap(({ functions }) => [...functions]))
      this.functions.set(name, body);
  }

  /** By the script itself. */
  assigned(name: string): readonly string[] {
    return this.#variables.get(name) ?? [];
  }

  values(name: string): readonly string[] {
    const assigned = this.#variables.get(name);
    if (assigned !== undefined) return assigned;
    if (name === "HOME") return [this.place.home];
    if (name === "PWD" || name === "~+") return this.directories;
    if (name === "~") return this.values("HOME");
    if (name === `~${basename(this.place.home)}`) return [this.place.home];
    if (name === "~root") return ["/root"];
    if (name === "@" || name === "*") return this.positional ?? [unknown];
    if (/^[1-9]\d*$/.test(name) && this.positional !== undefined) {
      return [this.positional[Number(name) - 1] ?? ""];
    }
    return this.#valuesOutside(name);
  }

  /** Of the shell around the script. Where nothing is known of it, a variable may as well be unset. */
  #valuesOutside(name: string): readonly string[] {
    if (this.isOpen || !/^[A-Za-z_]\w*$/.test(name) || DYNAMIC.test(name)) return [unknown];
    this.outside.add(name);
    const { shell } = this.place;
    if (shell === undefined) return [unknown, ""];
    const variable = shell.variables.get(name);
    if (variable === undefined) return [""];
    return [variable.value === undefined ? unknown : withoutMarks(variable.value)];
  }

  /** Between words, besides spaces. */
  get separators(): string {
    return this.assigned("IFS")
      .join("")
      .replace(/[\uE000-\uE00F]/g, "");
  }

  assign(name: string, values: readonly string[]): void {
    if (this.#variables.size >= NAME_LIMIT && !this.#variables.has(name)) return;
    const kept = values.slice(0, VALUE_LIMIT);
    this.#variables.set(
      name,
      kept.map((value) => (value.length > LENGTH_LIMIT ? unknown : value)),
    );
  }

  /** What is known of these names, to be put back after a command. */
  remember(names: readonly string[]): () => void {
    const before = names.map((name) => [name, this.#variables.get(name)] as const);
    return () => {
      for (const [name, values] of before) {
        if (values === undefined) this.#variables.delete(name);
        else this.#variables.set(name, values);
      }
    };
  }
}

function union([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  if (others.every((other) => other === first)) return first;
  return [...new Set([first, ...others].flat())].slice(0, VALUE_LIMIT);
}
