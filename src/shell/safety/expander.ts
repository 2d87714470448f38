/** What the words of a script may stand for: tilde, variables, substitutions and braces, as far as the text tells. */

import { combine, fieldsOf, plainText, splitValue, tilde, unknown } from "./marks.ts";
import type { ShellState } from "./shell-state.ts";
import type { List, Part, Substitution, Variable, Word } from "./syntax.ts";

/** Ends a text in which it cannot be. */
const END_MARK = "\uE00F";
/** Names in a number that are looked at. */
const NAME_LIMIT = 20;

export abstract class Expander {
  /** What `<(…)` gives, by its path. */
  readonly #pipes = new Map<string, string>();

  /** Follows the commands of a text in the shell that `state` is; gives what they print. */
  abstract script(text: string, state: ShellState): string;
  protected abstract list(list: List, state: ShellState): string;

  /** A text that the shell expands as if it were between double quotes: as it does with a here-document. */
  text(source: string, state: ShellState): void {
    this.script(`: <<${END_MARK}\n${source}\n${END_MARK}\n`, state.fork());
  }

  /** What is known of a file that a command reads: only what this script itself feeds it. */
  fileText(path: string, { stdin }: ShellState): string | undefined {
    return ["-", "/dev/stdin", "/dev/fd/0"].includes(path) ? stdin : this.#pipes.get(path);
  }

  /** Each alternative is a list of fields. */
  protected fields(word: Word, state: ShellState): string[][] {
    return this.#texts(word, state).map((text) => fieldsOf(text, word).map((field) => atHome(field, state)));
  }

  /** Where the shell neither splits nor expands wildcards: a value, a here-string, a `case` word. */
  protected values(word: Word, state: ShellState): string[] {
    return this.#texts(word, state).map((text) => plainText(atHome(text, state)));
  }

  /** A subscript may run commands: in the text, and where numbers are computed, also in the value of a name in it. */
  protected compute(text: string, state: ShellState, { isNumber }: { isNumber: boolean }): void {
    const names = isNumber ? (text.match(/[A-Za-z_]\w*/g) ?? []).slice(0, NAME_LIMIT) : [];
    for (const each of [text, ...names.flatMap((name) => state.values(name))]) {
      if (/\w\[/.test(each)) this.text(each, state);
    }
  }

  protected computeWord(word: Word | undefined, state: ShellState, isNumber = true): void {
    const values = word === undefined ? [] : this.values(word, state);
    // Where bash computes, single quotes are none.
    if (isNumber && word?.source.includes("'") === true) this.text(word.source, state);
    for (const value of values) this.compute(value, state, { isNumber });
  }

  #texts({ parts }: Word, state: ShellState): string[] {
    return combine(parts.map((part) => this.#part(part, state)));
  }

  #part(part: Part, state: ShellState): readonly string[] {
    if (typeof part === "string") return [part];
    const values = part.kind === "variable" ? this.#variable(part, state) : [this.#substitution(part, state)];
    return part.isQuoted ? values : values.map((value) => splitValue(value, state.separators));
  }

  #substitution({ kind, body, word }: Substitution, state: ShellState): string {
    this.computeWord(word, state);
    if (kind === "pattern") return "*";
    const output = this.list(body, state.fork());
    if (kind === "output") return output.replace(/\n+$/, "");
    if (kind !== "input-pipe") return unknown;
    const path = `/dev/fd/${63 + this.#pipes.size}`;
    this.#pipes.set(path, output);
    return path;
  }

  /** Only what people write in paths is worked out; the rest is unknown. */
  #variable({ name, operator, subscript, argument }: Variable, state: ShellState): readonly string[] {
    const values = name === "" ? [unknown] : state.values(name);
    this.computeWord(subscript, state);
    const given = values.filter((value) => value !== "");
    const other = argument === undefined ? [] : this.values(argument, state);
    const isKnown = given.length > 0 && !given.includes(unknown);
    switch (operator.replace(/^:(?=.)/, "")) {
      case "":
        return values;
      case "-":
        return isKnown ? given : [...given, ...other];
      case "=":
        if (!isKnown) state.assign(name, [...given, ...other]);
        return state.values(name);
      case "+":
        return isKnown ? other : [unknown, ...other];
      case "?":
        return given;
      case "%":
      case "%%":
        if (other[0] === "/") return values.map((value) => value.replace(/\/$/, ""));
        return other[0] === "/*" ? values.map((value) => value.replace(/\/[^/]*$/, "")) : [unknown];
      default:
        if (operator === "@P") for (const value of values) this.text(value, state);
        return [unknown];
    }
  }
}

/** `~/x`, `~root`, `~+`. */
function atHome(field: string, state: ShellState): string {
  const [start = "", user = ""] = field.startsWith(tilde) ? (/^.([\w.+-]*)(?=\/|$)/.exec(field) ?? []) : [];
  const home = start === "" ? "" : (state.values(`~${user}`)[0] ?? unknown);
  return home + field.slice(start.length).replaceAll(tilde, "~");
}
