/**
 * The state of a shell, saved for its replacement and for background shells: directory, variables, functions,
 * aliases, options, traps, umask and positional parameters, as bash itself printed them. Not kept: jobs, open
 * descriptors and the directory stack.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { readPlainFile } from "../process/plain-file.ts";

/** Options that would stop the shell from working, or that cannot be set from inside. */
const LEFT_OUT =
  /^(?:noexec|onecmd|privileged|restricted|interactive-comments|login_shell|restricted_shell)$/;

export class SavedState {
  readonly #directory: string;
  /** Suffixes of the files that are complete. */
  #state: string | undefined;
  #functions: string | undefined;
  #lastSlot = 0;
  readonly #slots = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Before a command: removes what it will write over, because ext4 waits for the disk when an old file is truncated and
   * written again. The other slot of each kind is valid until then.
   * @returns the slot for its functions, if they are to be saved.
   */
  makeRoom(sequence: number, options: { readonly functions: boolean }): number | undefined {
    rmSync(join(this.#directory, `state-${sequence % 2}`), { force: true });
    if (!options.functions) return undefined;
    this.#lastSlot = 1 - this.#lastSlot;
    this.#slots.set(sequence, this.#lastSlot);
    rmSync(join(this.#directory, `functions-${this.#lastSlot}`), { force: true });
    return this.#lastSlot;
  }

  /** A new shell has written what it started with. */
  wasStarted(): void {
    this.#state = "start";
    this.#functions = "start";
  }

  /** The shell has reported that it has written both. */
  wasSaved(sequence: number): void {
    this.#state = String(sequence % 2);
    const slot = this.#slots.get(sequence);
    if (slot !== undefined) this.#functions = String(slot);
    this.#slots.delete(sequence);
  }

  /** As it was after the last command that ended in an orderly way; undefined when there never was a shell. */
  asOfLastCommand(): string | undefined {
    const printed = this.asPrinted();
    return printed && restoreScript(printed.state, printed.functions);
  }

  /** The same, as bash printed it: variables and aliases, and functions. */
  asPrinted(): { readonly state: string; readonly functions: string } | undefined {
    if (this.#state === undefined || this.#functions === undefined) return undefined;
    const state = this.#read(`state-${this.#state}`);
    const functions = this.#read(`functions-${this.#functions}`);
    return state === undefined || functions === undefined ? undefined : { state, functions };
  }

  /** What a shell that ended by `exit` saved of itself; complete, or undefined. */
  takeExitState(): string | undefined {
    const state = this.#read("state-exit");
    const functions = this.#read("functions-exit");
    for (const name of ["state-exit", "functions-exit"]) rmSync(join(this.#directory, name), { force: true });
    if (state?.endsWith("# saved exit\n") !== true || functions?.endsWith("# saved functions\n") !== true)
      return undefined;
    return restoreScript(state, functions);
  }

  #read(name: string): string | undefined {
    // Bytes as they are: a variable may hold what is not UTF-8.
    return readPlainFile(join(this.#directory, name), "latin1");
  }
}

/** Options that change how text is read come first, those that change what a failure does last. In latin1, as read. */
function restoreScript(state: string, functions: string): string {
  const all = [...optionNames(state, "BASHOPTS"), ...listedOptions(state, "-s")];
  const shopt = all.filter((name) => name !== "expand_aliases");
  const off = listedOptions(state, "-u").filter((name) => name !== "expand_aliases");
  const set = optionNames(state, "SHELLOPTS");
  return [
    // Aliases would change the functions while they are read.
    "shopt -u expand_aliases",
    `for __omp_o in \${BASHOPTS//:/ }; do case :${shopt.join(":")}: in *:$__omp_o:*) ;; *) shopt -u $__omp_o ;; esac; done`,
    ...(off.length === 0 ? [] : [`shopt -u ${off.join(" ")}`]),
    ...(shopt.length === 0 ? [] : [`shopt -s ${shopt.join(" ")}`]),
    functions,
    state,
    // The script that sources this sets its own.
    "trap - URG EXIT",
    "unset __omp_o",
    ...(all.includes("expand_aliases") ? ["shopt -s expand_aliases"] : []),
    ...(set.includes("braceexpand") ? [] : ["set +o braceexpand"]),
    ...(set.includes("hashall") ? [] : ["set +o hashall"]),
    ...set.map((name) => `set -o ${name}`),
    "",
  ].join("\n");
}

function optionNames(state: string, variable: string): string[] {
  const names = new RegExp(`^declare -\\w+ ${variable}="([a-z0-9_:-]*)"$`, "m").exec(state)?.[1] ?? "";
  return names.split(":").filter((name) => name !== "" && !LEFT_OUT.test(name));
}

/** As bash 3 has told them, one a line: it has no BASHOPTS. */
function listedOptions(state: string, flag: "-s" | "-u"): string[] {
  const lines = state.matchAll(new RegExp(`^# shopt ${flag} (\\w+)$`, "gm"));
  return [...lines].map(([, name = ""]) => name).filter((name) => !LEFT_OUT.test(name));
}
