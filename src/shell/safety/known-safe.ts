/**
 * What runs without a question in the `ask` mode: a command that can be read literally, all of whose parts are on the safe list. It fails
 * closed: whatever is not known to be safe is a question.
 */

import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { attempt } from "../../protocol/error.ts";

import { isInside } from "./project-limit.ts";
import { isSafeGit } from "./safe-git.ts";
import { literalText } from "./safe-options.ts";
import { BUILTINS, isSafeProgram, READERS } from "./safe-programs.ts";
import { RESERVED, readScript, type Script } from "./script-reader.ts";
import type { ShellPlace } from "./shell-state.ts";
import type { Command, Word } from "./syntax.ts";

/** The commands that are not known to be safe; undefined when there is more to it than commands. */
export function unsafeCommands(script: Script, place: ShellPlace): readonly Command[] | undefined {
  return areVariablesPlain(script, place) ? new Judge(place).unsafe(script.commands) : undefined;
}

/** Undefined where the text is more than literal. */
export function readLiteral(command: string, place: ShellPlace): Script | undefined {
  const script = readScript(command, place);
  return script?.isLiteral === true ? script : undefined;
}

export function isKnownSafe(command: string, place: ShellPlace): boolean {
  const script = readLiteral(command, place);
  return script !== undefined && unsafeCommands(script, place)?.length === 0;
}

/** Steer no program that is on the list. */
const HARMLESS_SETTINGS =
  /^(?:NODE_ENV|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|DEBUG|VERBOSE)$/;
/** Of the user's own: programs take their settings from names in capitals, and npm from `npm_…`. */
const OWN_VARIABLE = /^(?!npm_|\w*_proxy$)[a-z][a-z0-9_]*$/;

function areVariablesPlain({ commands, loopVariables, used }: Script, { shell }: ShellPlace): boolean {
  const hasAttribute = (name: string, letters: RegExp) =>
    letters.test(shell?.variables.get(name)?.attributes ?? "");
  const set = [
    ...loopVariables,
    ...commands.flatMap(({ assignments }) => assignments.map(({ name }) => name)),
  ];
  return (
    // What is assigned to an integer is computed, and another name for a variable may hold a subscript: both can run commands.
    set.every(
      (name) => (OWN_VARIABLE.test(name) || HARMLESS_SETTINGS.test(name)) && !hasAttribute(name, /[in]/),
    ) &&
    [...used].every((name) => !hasAttribute(name, /n/)) &&
    // bash looks for aliases first.
    ![...(shell?.aliases.keys() ?? [])].some((name) => RESERVED.has(name))
  );
}

/** Variables by which git is told where a repository is and what to run, other than those that only commands use that change something. */
const GIT_HARMLESS =
  /^GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR|TERMINAL_PROMPT|SSH|SSH_COMMAND|ASKPASS|OPTIONAL_LOCKS|(?:AUTHOR|COMMITTER)_\w+|CEILING_DIRECTORIES|MERGE_AUTOEDIT|(?:SSL|HTTP|PS1|PROMPT|LFS)_\w+|CONFIG_NOSYSTEM|DISCOVERY_ACROSS_FILESYSTEM|ALLOW_PROTOCOL|PROTOCOL)$/;

class Judge {
  readonly #place: ShellPlace;
  /** Where the shell may stand; undefined when that is not known. */
  #directories: readonly string[] | undefined;

  constructor(place: ShellPlace) {
    this.#place = place;
    this.#directories = [place.cwd];
  }

  unsafe(commands: readonly Command[]): readonly Command[] {
    return commands.filter((command) => !this.#isSafe(command));
  }

  #isSafe({ words, assignments, isRepeated }: Command): boolean {
    if (words.length === 0) return assignments.every(({ name }) => OWN_VARIABLE.test(name));
    if (!assignments.every(({ name }) => HARMLESS_SETTINGS.test(name))) return false;
    const expanded = this.#withoutAlias(words);
    if (expanded === undefined) return false;
    const isSafe = this.#isSafeCall(expanded);
    if (expanded[0]?.text === "cd") this.#go(expanded[1], isRepeated);
    return isSafe;
  }

  /** As the shell replaces it; undefined where that gives more than words. */
  #withoutAlias(words: readonly Word[]): readonly Word[] | undefined {
    let expanded = words;
    const seen = new Set<string>();
    for (;;) {
      const [first, ...rest] = expanded;
      const alias =
        first?.isBare === true && !seen.has(first.text)
          ? this.#place.shell?.aliases.get(first.text)
          : undefined;
      if (first === undefined || alias === undefined) return expanded;
      seen.add(first.text);
      const script = /\s$/.test(alias) ? undefined : readLiteral(alias, this.#place);
      const [command, more] = script?.commands ?? [];
      const isPlain =
        command?.words.every(({ kind }) => kind === "literal") === true && command.assignments.length === 0;
      if (command === undefined || more !== undefined || !isPlain || /[;&|\n#<>()]/.test(alias))
        return undefined;
      expanded = [...command.words, ...rest];
    }
  }

  /** @param isPlain functions are not looked at: `command`, and what other programs run. */
  #isSafeCall([program, ...args]: readonly Word[], isPlain = false): boolean {
    const name = program?.kind === "literal" ? program.text : "";
    if (!isPlain && this.#place.shell?.functions.has(name) === true) return false;
    // Where the shell stands is followed for `cd` alone.
    if (name === "command" && !/^(?:-|cd$)/.test(args[0]?.text ?? "-")) return this.#isSafeCall(args, true);
    if (BUILTINS.has(name)) return isSafeProgram(name, args);
    if (this.#isOwnProgram(name)) return false;
    if (name === "timeout") {
      const isOwn = this.#isOwnProgram(literalText(args[1]));
      return isDuration(args[0]) && !isOwn && this.#isSafeCall(args.slice(1), true);
    }
    if (name === "xargs") return this.#isSafeXargs(args);
    if (name === "git") return this.#isGitPlain && isSafeGit(args, this.#directories);
    return isSafeProgram(name, args);
  }

  /** With any arguments, which is what it will give. */
  #isSafeXargs(args: readonly Word[]): boolean {
    let at = 0;
    let placeholder = "{}";
    for (; /^-/.test(literalText(args[at])); at += 1) {
      const [, letters = "", glued = ""] = /^-([0rtx]+$|[nPLI])([^-]*)$/.exec(literalText(args[at])) ?? [];
      if (letters === "") return false;
      if (/[nPLI]/.test(letters) && glued === "") at += 1;
      // The value: more than one word, and the next is not the program.
      if (args[at]?.kind !== "literal") return false;
      if (letters === "I") placeholder = glued === "" ? literalText(args[at]) : glued;
    }
    const program = literalText(args[at]);
    // Some replace it in the program's name, too.
    return READERS.has(program) && !program.includes(placeholder) && !this.#isOwnProgram(program);
  }

  get #isGitPlain(): boolean {
    const names = [...(this.#place.shell?.variables.keys() ?? [])];
    return names.every((name) => !name.startsWith("GIT_") || GIT_HARMLESS.test(name));
  }

  /** Whether the name would be found where the project, or whoever writes to the working directory, can put a program. */
  #isOwnProgram(name: string): boolean {
    if (name.includes("/")) return true;
    const { shell, projectRoot, home } = this.#place;
    const path = shell?.variables.get("PATH")?.value;
    if (path === undefined) return false;
    const isProject = projectRoot !== undefined && !isInside(home, projectRoot);
    for (const entry of path.split(":")) {
      if (!entry.startsWith("/")) return true;
      if (canRun(join(entry, name))) return isProject && isInside(entry, projectRoot);
    }
    return false;
  }

  #go(target: Word | undefined, isRepeated: boolean): void {
    const path = target === undefined ? this.#place.home : target.kind === "literal" ? target.text : "-";
    const isSearched = this.#place.shell?.variables.has("CDPATH") === true && !/^[./]/.test(path);
    const isKnown = !isRepeated && !path.startsWith("-") && !isSearched;
    // It may fail, or not run at all.
    const places = isKnown ? this.#directories : undefined;
    this.#directories = places && [...new Set([...places, ...places.map((place) => resolve(place, path))])];
  }
}

function canRun(path: string): boolean {
  return (
    attempt(() => {
      accessSync(path, constants.X_OK);
      return true;
    }) === true
  );
}

function isDuration(word: Word | undefined): boolean {
  return /^\d+(?:\.\d+)?[smhd]?$/.test(literalText(word));
}
