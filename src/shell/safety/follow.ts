/**
 * Follows a script as the shell would run it, without running anything: variables, directories, functions, pipes and here-documents as
 * far as they are in the text. Takes every branch, and notes each command. Knows no rules; `effects.ts` knows what commands do to the
 * shell, and which other commands they run.
 */

import { effectOf } from "./effects.ts";
import { Expander } from "./expander.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { plainText, unknown, withoutMarks } from "./marks.ts";
import { programName } from "./options.ts";
import { absolutePaths } from "./paths.ts";
import { readScript } from "./script-reader.ts";
import { type ShellPlace, ShellState } from "./shell-state.ts";
import type { Assignment, Command, Compound, List, Redirect, Statement } from "./syntax.ts";

export interface FileRedirection {
  /** `>`, `>>`, `&>`, `<`, … */
  readonly operator: string;
  readonly targets: readonly string[];
}

export interface FollowedCommand {
  /** Fields with marks (marks.ts); empty for a redirection without a command. */
  readonly argv: readonly string[];
  /** Where the shell may stand when it runs. */
  readonly directories: readonly string[];
  readonly redirections: readonly FileRedirection[];
  /** The source, shortened, in one line. */
  readonly excerpt: string;
}

/** Every command that a script may run, however deeply wrapped, for the rules to look at. */
export interface Reading {
  readonly commands: readonly FollowedCommand[];
  /** The sources of functions that start themselves over and over. */
  readonly forkBombs: readonly string[];
  /** Directories that the script goes to. */
  readonly destinations: readonly string[];
  /** Texts that are not shell, or were not followed to their end. */
  readonly unread: readonly string[];
  /** It was too much to be followed to its end. */
  readonly isCut: boolean;
  /** Variables that the script takes from the shell around it. */
  readonly outside: readonly string[];
}

const EXCERPT_LIMIT = 120;
const STEP_LIMIT = 30_000;
const DEPTH_LIMIT = 300;
const TIME_LIMIT_MS = 1000;
const DIRECTORY_LIMIT = 4;
/** A name that may be several commands is followed for this many of them. */
const NAME_LIMIT = 4;
/** A command with more words is not looked at, nor let through. */
export const WORD_LIMIT = 20_000;
/** What a command prints that we know nothing of. */
const UNKNOWN_OUTPUT = `${unknown}\n`;
/** Their arguments are names and numbers, which bash computes. */
const COMPUTING =
  /^(?:test|\[|let|printf|read|mapfile|readarray|unset|declare|typeset|local|export|readonly)$/;
const DECLARING = /^(?:declare|typeset|local|export|readonly)$/;

class LimitReached extends Error {}

export function excerptOf(source: string): string {
  const start = source.slice(0, 4 * EXCERPT_LIMIT).trim();
  const line = start.replace(/\s+/g, " ");
  return line.length > EXCERPT_LIMIT ? `${line.slice(0, EXCERPT_LIMIT - 1)}…` : line;
}

export class Follower extends Expander {
  readonly #commands: FollowedCommand[] = [];
  readonly #forkBombs: string[] = [];
  readonly #destinations: string[] = [];
  readonly #unread = new Set<string>();
  readonly #calling = new Set<List>();
  readonly #deadline = performance.now() + TIME_LIMIT_MS;
  #steps = 0;
  #depth = 0;

  follow(source: string, place: ShellPlace): Reading {
    const text = withoutMarks(source);
    const state = new ShellState(place);
    let isCut = false;
    try {
      this.script(text, state);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      this.#unread.add(text);
      isCut = true;
    }
    return {
      commands: this.#commands,
      forkBombs: this.#forkBombs,
      destinations: this.#destinations,
      unread: [...this.#unread],
      isCut,
      outside: [...state.outside],
    };
  }

  override script(text: string, state: ShellState): string {
    return this.#deeper(() => {
      const script = readScript(plainText(text), state.place);
      if (script?.isComplete !== true) this.#unread.add(text);
      const bombs = script?.functions.filter(isForkBomb) ?? [];
      this.#forkBombs.push(...bombs.map(({ source }) => excerptOf(source)));
      return script === undefined ? UNKNOWN_OUTPUT : this.list(script.body, state);
    });
  }

  /** One command, as fields; gives what it prints. */
  run(
    argv: readonly string[],
    state: ShellState,
    source: string,
    redirections: readonly FileRedirection[] = [],
  ): string {
    return this.#deeper(() => {
      const { directories } = state;
      this.#commands.push({ argv, directories, redirections, excerpt: excerptOf(source) });
      const [name = "", ...args] = argv;
      const body = state.functions.get(name);
      if (body !== undefined) return this.#call(body, args, state);
      for (const word of COMPUTING.test(name) ? args : []) {
        this.compute(plainText(word), state, { isNumber: name === "let" });
      }
      const program = programName(name);
      const printed = effectOf(program)?.({ name: program, args, state, source, follower: this });
      return printed ?? (name === "" ? "" : UNKNOWN_OUTPUT);
    });
  }

  /** The shell goes to one of these directories. */
  go(state: ShellState, targets: readonly string[]): void {
    const paths = targets.flatMap((target) => absolutePaths(target, state.directories));
    this.#destinations.push(...paths);
    state.directories = paths.slice(0, DIRECTORY_LIMIT);
  }

  assign(state: ShellState, name: string, values: readonly string[]): void {
    state.assign(name, values);
    // Run by the shell itself, later.
    if (name === "PROMPT_COMMAND") for (const value of values) this.script(value, state.fork());
    if (/^PS[0124]$/.test(name)) for (const value of values) this.text(value, state);
  }

  protected override list(list: List, state: ShellState): string {
    let output = "";
    for (const { operator, parts, isBackground } of list) {
      const here = operator === "||" || isBackground ? state.fork() : state;
      let printed = "";
      for (const [at, part] of parts.entries()) {
        const inside = parts.length > 1 ? here.fork() : here;
        if (at > 0) inside.stdin = printed;
        printed = this.#statement(part, inside);
      }
      output += printed;
      if (operator === "||") state.join([here], { isTotal: false });
    }
    return output;
  }

  #statement(statement: Statement, state: ShellState): string {
    return this.#deeper(() => {
      const { stdin } = state;
      const { files, takesOutput } = this.#redirections(statement.redirections, state);
      if (statement.kind !== "command" && files.length > 0) this.run([], state, statement.source, files);
      const output =
        statement.kind === "command"
          ? this.#command(statement, state, files)
          : this.#compound(statement, state);
      state.stdin = stdin;
      return takesOutput ? "" : output;
    });
  }

  #command(
    { words, assignments, source }: Command,
    state: ShellState,
    files: readonly FileRedirection[],
  ): string {
    const [name, ...args] = words;
    const declares = name !== undefined && DECLARING.test(name.text);
    const fields = args.flatMap((word) =>
      declares && /^\w+\+?=/.test(word.text) ? this.values(word, state) : this.fields(word, state).flat(),
    );
    const alternatives = name === undefined ? [[]] : this.fields(name, state);
    // `"${words[@]}"` is the name and its arguments; any other value that may be several things is one of them.
    const isList = name?.parts.some((part) => typeof part === "object" && "isList" in part && part.isList);
    const names = isList === true ? [alternatives.flat()] : alternatives.slice(0, NAME_LIMIT);
    // Assignments before a command last as long as it does.
    const restore = state.remember(assignments.map((each) => each.name));
    for (const assignment of assignments) this.#assignment(assignment, state);
    let output = "";
    for (const each of names) {
      output = this.run([...each, ...fields.slice(0, WORD_LIMIT)], state, source, files);
    }
    if (name !== undefined) restore();
    return output;
  }

  #assignment({ name, subscript, values, isArray, isMore }: Assignment, state: ShellState): void {
    this.computeWord(subscript, state);
    // `([subscript]=value)`
    for (const word of isArray ? values : []) if (word.source.startsWith("[")) this.computeWord(word, state);
    const given = values.flatMap((word) =>
      isArray ? this.fields(word, state).flat() : this.values(word, state),
    );
    const all = given.length === 0 ? [""] : given;
    const isOneOf = isArray || subscript !== undefined;
    const before = subscript !== undefined ? state.assigned(name) : isMore ? state.values(name) : [];
    if (isOneOf || before.length === 0) this.assign(state, name, [...before, ...all]);
    else
      this.assign(
        state,
        name,
        before.flatMap((old) => all.map((each) => old + each)),
      );
  }

  #compound(compound: Compound, state: ShellState): string {
    const { kind, name, words, bodies } = compound;
    const [body = []] = bodies;
    if (kind === "group") return this.list(body, state);
    if (kind === "subshell") return this.list(body, state.fork());
    if (kind === "test") {
      const areNumbers = words.some(({ text }) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(text));
      for (const word of words) this.computeWord(word, state, areNumbers);
      return "";
    }
    if (kind !== "function") return this.#choice(compound, state);
    state.functions.set(name, body);
    // It may be called by a command that comes later.
    const caller = state.fork();
    caller.positional = undefined;
    this.list(body, caller);
    return "";
  }

  /** The condition, and every body, each from the same start. */
  #choice({ kind, name, words, first, bodies, isTotal }: Compound, state: ShellState): string {
    const fields = words.flatMap((word) => this.fields(word, state).flat());
    if (kind === "loop" && name !== "") this.assign(state, name, fields);
    let output = this.list(first, state);
    const ends = bodies.map((body) => {
      const end = state.fork();
      output += this.list(body, end);
      return end;
    });
    state.join(ends, { isTotal });
    return kind === "loop" && output !== "" ? output + UNKNOWN_OUTPUT : output;
  }

  /** Gives the command its input, and tells which files it opens. */
  #redirections(redirects: readonly Redirect[], state: ShellState) {
    const files: FileRedirection[] = [];
    let takesOutput = false;
    for (const { descriptor, operator, target } of redirects) {
      if (operator.startsWith("<<")) {
        state.stdin = (this.values(target, state)[0] ?? "") + (operator === "<<<" ? "\n" : "");
        continue;
      }
      const targets = this.fields(target, state).flat();
      files.push({ operator, targets });
      const toDescriptor = operator.endsWith("&") && /^\d*-?$/.test(targets[0] ?? "");
      if (operator.startsWith("<")) state.stdin = this.fileText(targets[0] ?? "", state) ?? unknown;
      else if (!toDescriptor && (descriptor === "" || descriptor === "1")) takesOutput = true;
    }
    return { files, takesOutput };
  }

  #call(body: List, args: readonly string[], state: ShellState): string {
    if (this.#calling.has(body)) return UNKNOWN_OUTPUT;
    this.#calling.add(body);
    const before = state.positional;
    state.positional = args;
    const output = this.list(body, state);
    state.positional = before;
    this.#calling.delete(body);
    return output;
  }

  #deeper<T>(read: () => T): T {
    this.#steps += 1;
    this.#depth += 1;
    const isOver = this.#steps > STEP_LIMIT || this.#depth > DEPTH_LIMIT;
    if (isOver || performance.now() > this.#deadline) throw new LimitReached();
    const result = read();
    this.#depth -= 1;
    return result;
  }
}
