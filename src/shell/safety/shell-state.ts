/** What is known about the shell at one point of a script: variables, directory, functions. Every value is a list of what it may be. */

import type { LiveShell } from "./live-shell.ts";
import type { SyntaxNode } from "./parser.ts";
import { unknown, withoutMarks } from "./word-value.ts";

const valueLimit = 16;
const lengthLimit = 100_000;
/** Scripts that know more names than that are followed without the others. */
const nameLimit = 500;

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
  readonly #place: ShellPlace;
  readonly #outside: Set<string>;
  /** A file was read that may have set anything. */
  isOpen: boolean;
  /** Where the shell may stand. */
  directories: readonly string[];
  /** `$1` and on; undefined when the caller is not known. */
  positional: readonly string[] | undefined;
  readonly #variables: Map<string, readonly string[]>;
  readonly #functions: Map<string, SyntaxNode>;

  /** @param outside where the names of variables are noted that come from the shell around the script. */
  constructor(place: ShellPlace, outside: Set<string>) {
    this.#place = place;
    this.isOpen = place.isOpen ?? false;
    this.#outside = outside;
    this.directories = [place.cwd];
    this.#variables = new Map();
    this.#functions = new Map();
  }

  /** For what runs in a process of its own, or perhaps not at all. */
  fork(): ShellState {
    const copy = new ShellState(this.#place, this.#outside);
    copy.isOpen = this.isOpen;
    copy.directories = this.directories;
    copy.positional = this.positional;
    for (const [name, values] of this.#variables) copy.#variables.set(name, values);
    for (const [name, body] of this.#functions) copy.#functions.set(name, body);
    return copy;
  }

  /** After a choice: what was known on any way is possible. */
  join(others: readonly ShellState[]): void {
    for (const other of others) {
      this.isOpen ||= other.isOpen;
      this.directories = union(this.directories, other.directories);
      for (const [name, values] of other.#variables) {
        this.#variables.set(name, union(this.values(name), values));
      }
      for (const [name, body] of other.#functions) this.#functions.set(name, body);
    }
  }

  values(name: string): readonly string[] {
    const assigned = this.#variables.get(name);
    if (assigned !== undefined) return assigned;
    if (name === "HOME") return [this.#place.home];
    if (name === "PWD") return this.directories;
    if (name === "@" || name === "*") return this.positional ?? [unknown];
    if (/^[1-9]\d*$/.test(name) && this.positional !== undefined) {
      return [this.positional[Number(name) - 1] ?? ""];
    }
    return this.#valuesOutside(name);
  }

  /** Of the shell around the script. Where nothing is known of it, a variable may as well be unset. */
  #valuesOutside(name: string): readonly string[] {
    if (this.isOpen || !/^[A-Za-z_]\w*$/.test(name) || DYNAMIC.test(name)) return [unknown];
    this.#outside.add(name);
    const { shell } = this.#place;
    if (shell === undefined) return [unknown, ""];
    const variable = shell.variables.get(name);
    if (variable === undefined) return [""];
    return [variable.value === undefined ? unknown : withoutMarks(variable.value)];
  }

  /** Between words, besides spaces. */
  get separators(): string {
    const assigned = this.#variables.get("IFS") ?? [];
    return assigned.join("").replace(/[\uE000-\uE00F]/g, "");
  }

  /** A copy of what is known of these names, to be put back. */
  remember(names: readonly string[]): () => void {
    const before = names.map((name) => [name, this.#variables.get(name)] as const);
    return () => {
      for (const [name, values] of before) {
        if (values === undefined) this.#variables.delete(name);
        else this.#variables.set(name, values);
      }
    };
  }

  assign(name: string, values: readonly string[]): void {
    if (this.#variables.size >= nameLimit && !this.#variables.has(name)) return;
    const kept = values.slice(0, valueLimit);
    this.#variables.set(
      name,
      kept.map((value) => (value.length > lengthLimit ? unknown : value)),
    );
  }

  define(name: string, body: SyntaxNode): void {
    if (this.#functions.size >= nameLimit && !this.#functions.has(name)) return;
    this.#functions.set(name, body);
  }

  functionBody(name: string): SyntaxNode | undefined {
    return this.#functions.get(name);
  }
}

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  return first === second ? first : [...new Set([...first, ...second])].slice(0, valueLimit);
}
