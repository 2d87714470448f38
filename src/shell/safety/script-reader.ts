/**
 * Reads a script as the shell would run it, without running anything: follows variables, directories, functions, pipes and
 * here-documents as far as they are in the text, takes every branch, and notes each command. Knows no rules.
 *
 * This file owns the notes and the limits; `statements.ts` walks the syntax, `command-effects.ts` knows what single commands
 * do to the shell and which other commands they run.
 */

import { effectOf } from "./command-effects.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { scriptsIn, visitHidden } from "./hidden-scripts.ts";
import { type ParseSource, type SyntaxNode, textOf } from "./parser.ts";
import { absolutePaths } from "./paths.ts";
import { excerptOf, type ReadCommand, type Reading } from "./reading.ts";
import { type ShellPlace, ShellState } from "./shell-state.ts";
import { readSequence, readStatement, type Scene } from "./statements.ts";
import { plainText, unknown, withoutMarks } from "./word-value.ts";

const stepLimit = 30_000;
const depthLimit = 300;
const timeLimitMs = 1000;
const directoryLimit = 4;

/** What a command prints that we know nothing of. */
const unknownOutput = `${unknown}\n`;

class LimitReached extends Error {}

export function readScript(text: string, place: ShellPlace, parse: ParseSource): Reading {
  return new ScriptReader(parse).read(withoutMarks(text), place);
}

/** A command about to be noted and followed. */
export interface CommandStart {
  readonly stdin?: string | undefined;
  readonly redirections?: ReadCommand["redirections"];
  /** Where its excerpt comes from. */
  readonly source: string;
}

export class ScriptReader {
  readonly #parse: ParseSource;
  readonly #commands: ReadCommand[] = [];
  readonly #forkBombs: string[] = [];
  readonly #destinations: string[] = [];
  readonly #unread = new Set<string>();
  readonly #pipes = new Map<string, string>();
  readonly #calling = new Set<SyntaxNode>();
  /** Substitutions that have been read. */
  readonly #seen = new Set<SyntaxNode>();
  /** Variables that the script takes from the shell around it. */
  readonly #outside = new Set<string>();
  readonly #deadline = performance.now() + timeLimitMs;
  #steps = 0;
  #depth = 0;

  constructor(parse: ParseSource) {
    this.#parse = parse;
  }

  read(text: string, place: ShellPlace): Reading {
    try {
      this.script(text, new ShellState(place, this.#outside));
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      this.#unread.add(text);
    }
    return {
      commands: this.#commands,
      forkBombs: this.#forkBombs,
      destinations: this.#destinations,
      unread: [...this.#unread],
      outside: [...this.#outside],
    };
  }

  /** Reads a text in the shell that `state` is; gives what it prints. */
  script(text: string, state: ShellState, stdin?: string | undefined): string {
    return this.#deeper(() => {
      const parsed = this.#parse(text);
      if (parsed?.complete !== true) this.#unread.add(text);
      if (parsed === undefined) return unknownOutput;
      const output = this.statement(parsed.root, { reader: this, state, stdin });
      visitHidden(parsed.root, {
        node: (node) => {
          if (!this.#seen.has(node)) this.outputOf(node, state);
        },
        text: (source) => void this.script(source, state.fork()),
        values: (name) => state.values(name),
      });
      return output;
    });
  }

  statement(node: SyntaxNode, scene: Scene): string {
    return this.#deeper(() => readStatement(node, scene));
  }

  /** One command, as fields; gives what it prints. */
  run(
    argv: readonly string[],
    state: ShellState,
    { stdin, redirections = [], source }: CommandStart,
  ): string {
    return this.#deeper(() => {
      const { directories } = state;
      this.#commands.push({ argv, directories, redirections, excerpt: excerptOf(source) });
      const [name, ...args] = argv;
      if (name === undefined) return "";
      const body = state.functionBody(name);
      if (body !== undefined) return this.#call(body, args, { reader: this, state, stdin });
      return effectOf(argv)?.({ argv, state, stdin, source, reader: this }) ?? unknownOutput;
    });
  }

  /** The shell goes to one of these directories. */
  go(state: ShellState, targets: readonly string[]): void {
    const paths = targets.flatMap((target) => absolutePaths(target, state.directories));
    this.#destinations.push(...paths);
    state.directories = paths.slice(0, directoryLimit);
  }

  assign(state: ShellState, name: string, values: readonly string[]): void {
    state.assign(name, values);
    // Run by the shell itself, later.
    if (name === "PROMPT_COMMAND") for (const value of values) this.script(plainText(value), state.fork());
    if (/^PS[0124]$/.test(name)) {
      for (const source of values.flatMap(scriptsIn)) this.script(source, state.fork());
    }
  }

  define(state: ShellState, name: string, body: SyntaxNode, source: string): void {
    if (isForkBomb(name, body)) this.#forkBombs.push(excerptOf(source));
    state.define(name, body);
  }

  /** What is known of a file that a command reads: only what this script itself feeds it. */
  fileText(path: string, stdin: string | undefined): string | undefined {
    return ["-", "/dev/stdin", "/dev/fd/0"].includes(path) ? stdin : this.#pipes.get(path);
  }

  /** `$(…)`: what it prints, without the newlines at its end. */
  outputOf(node: SyntaxNode, state: ShellState): string {
    const source = textOf(node).trimStart();
    // Inside backquotes the grammar does not see backquotes with a backslash.
    if (source.startsWith("`") && source.includes("\\")) {
      this.#seen.add(node);
      return this.outputOfText(source.slice(1, -1), state);
    }
    return this.#inside(node, state).replace(/\n+$/, "");
  }

  /** A script in a text that the grammar does not look into. */
  outputOfText(source: string, state: ShellState): string {
    return this.script(source.replace(/\\([$`\\])/g, "$1"), state.fork()).replace(/\n+$/, "");
  }

  /** `<(…)`: the path that the command gets. */
  pipeOf(node: SyntaxNode, state: ShellState): string {
    const output = this.#inside(node, state);
    if (!textOf(node).trimStart().startsWith("<")) return unknown;
    const path = `/dev/fd/${63 + this.#pipes.size}`;
    this.#pipes.set(path, output);
    return path;
  }

  #inside(node: SyntaxNode, state: ShellState): string {
    this.#seen.add(node);
    return readSequence(node.children, { reader: this, state: state.fork() });
  }

  #call(body: SyntaxNode, args: readonly string[], scene: Scene): string {
    if (this.#calling.has(body)) return unknownOutput;
    this.#calling.add(body);
    const before = scene.state.positional;
    scene.state.positional = args;
    const output = this.statement(body, scene);
    scene.state.positional = before;
    this.#calling.delete(body);
    return output;
  }

  #deeper<T>(read: () => T): T {
    this.#steps += 1;
    this.#depth += 1;
    if (this.#steps > stepLimit || this.#depth > depthLimit) throw new LimitReached();
    if (performance.now() > this.#deadline) throw new LimitReached();
    const result = read();
    this.#depth -= 1;
    return result;
  }
}
