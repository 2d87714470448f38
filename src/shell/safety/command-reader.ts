/** Reads simple commands: words, assignments and redirections, with the texts of here-documents. */

import type { Assignment, Command, Redirect, Statement, Word } from "./syntax.ts";
import { substitution, WordReader } from "./word-reader.ts";

const ASSIGNMENT = /([A-Za-z_]\w*)(?:(\+?=)|(?=\[))/y;
const REDIRECTION = /(\d*|\{\w+\})(&>>?|<<<|<<-?|<>|<&|<(?!\()|>>|>&|>\||>(?!\())/y;

interface HereDocument {
  readonly redirect: Redirect;
  readonly end: string;
  readonly isRaw: boolean;
  readonly isIndented: boolean;
}

export abstract class CommandReader extends WordReader {
  protected loops = 0;
  /** Here-documents whose text comes with the next line. */
  readonly #waiting: HereDocument[] = [];

  /** A here-document was promised. */
  protected get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** After its name and parentheses. */
  protected abstract functionNamed(name: string, start: number): Statement;

  protected simpleCommand(): Statement {
    const start = this.at;
    let end = start;
    const words: Word[] = [];
    const assignments: Assignment[] = [];
    const redirections: Redirect[] = [];
    for (this.blanks({ lines: false }); !/^[\n;|)]?$/.test(this.peek); this.blanks({ lines: false })) {
      if (this.redirection(redirections)) continue;
      if (this.peek === "&" || this.peek === "(") break;
      const assignment = words.length === 0 ? this.#assignment() : undefined;
      if (assignment !== undefined) {
        assignments.push(assignment);
        continue;
      }
      const word = this.#pipe() ?? this.word();
      // `declare x=(a b)`
      const array = this.peek === "(" && /^\w+\+?=$/.test(word.text) ? this.#array() : undefined;
      words.push(...(array?.map((each) => ({ ...each, parts: [word.text, ...each.parts] })) ?? [word]));
      end = this.at;
    }
    const [name, more] = words;
    const isFunction = name !== undefined && more === undefined && this.match(/\([ \t]*\)/y) !== undefined;
    if (isFunction) return this.functionNamed(name.text, start);
    const isNothing = words.length === 0 && assignments.length === 0;
    if (isNothing) this.leave();
    if (this.peek === "(" || (isNothing && redirections.length === 0)) {
      this.fail();
      if (this.at === start) this.at += 1;
    }
    const source = end === start ? this.since(start) : this.source.slice(start, end);
    const state = { isRepeated: this.loops > 0, isFed: false };
    const command: Command = { kind: "command", words, assignments, redirections, ...state, source };
    this.notes.commands.push(command);
    return command;
  }

  #assignment(): Assignment | undefined {
    const start = this.at;
    const [, name, plain] = this.match(ASSIGNMENT) ?? [];
    if (name === undefined) return undefined;
    if (plain !== "=" || this.operands.has(name)) this.leave();
    const subscript = this.match(/\[/y) === undefined ? undefined : this.wordInside("]");
    const [operator] = plain === undefined ? (this.match(/\+?=/y) ?? []) : [plain];
    if (operator === undefined) {
      this.at = start;
      return undefined;
    }
    const isArray = this.peek === "(";
    const isEmpty = /^(?:[\s;&|)]|$)/.test(this.peek);
    const values = isArray ? this.#array() : isEmpty ? [] : [this.word()];
    return { name, subscript, values, isArray, isMore: operator === "+=" };
  }

  /** `(a b)`. */
  #array(): Word[] {
    this.leave();
    this.at += 1;
    const words = this.words(() => this.peek === ")", { lines: true });
    this.at += 1;
    return words;
  }

  protected redirection(redirections: Redirect[]): boolean {
    const [, descriptor = "", operator = ""] = this.match(REDIRECTION) ?? [];
    if (operator === "") return false;
    this.blanks({ lines: false });
    const pipe = this.#pipe();
    const start = this.at;
    const target = pipe ?? this.word();
    const isPlain = pipe === undefined ? isHarmlessRedirection(operator, target) : operator === "<";
    if (!isPlain || descriptor.length > (operator.startsWith("&") ? 0 : 1)) this.leave();
    const redirect = { descriptor, operator: operator.replace("-", ""), target };
    redirections.push(redirect);
    if (redirect.operator !== "<<") return true;
    const isRaw = /["'\\]/.test(this.source.slice(start, this.at));
    this.#waiting.push({ redirect, end: target.text, isRaw, isIndented: operator === "<<-" });
    return true;
  }

  /** `<(…)`: a path that the shell makes. */
  #pipe(): Word | undefined {
    const [, direction] = this.match(/([<>])\(/y) ?? [];
    if (direction === undefined) return undefined;
    const before = this.source[this.at - 3] ?? "";
    if (direction === ">" || !/^[\s;&|()<]?$/.test(before)) this.leave();
    const body = this.list([")"]);
    if (!/^[\s;&|)]?$/.test(this.peek)) this.leave();
    const kind = direction === "<" ? "input-pipe" : "output-pipe";
    const parts = [substitution(kind, { body, isQuoted: true })];
    const text = "/dev/fd/";
    return { parts, kind: "operand", text, source: text, isSingle: true, isBare: false, isQuoted: true };
  }

  #hereDocument({ redirect, end, isRaw, isIndented }: HereDocument): void {
    const lines: string[] = [];
    for (;;) {
      if (this.at >= this.source.length) {
        this.fail();
        break;
      }
      const [whole = ""] = this.match(/[^\n]*/y) ?? [];
      this.at += 1;
      const line = isIndented ? whole.replace(/^\t+/, "") : whole;
      if (line === end) break;
      lines.push(`${line}\n`);
    }
    const text = lines.join("");
    redirect.target = isRaw
      ? { ...redirect.target, parts: [text] }
      : this.deeper(() => this.inside(text).text());
  }

  /** @param between what may be between the words besides blanks; not in a literal text. */
  protected words(isOver: () => boolean, { lines, between }: { lines: boolean; between?: RegExp }): Word[] {
    const words: Word[] = [];
    for (this.blanks({ lines }); this.peek !== "" && !isOver(); this.blanks({ lines })) {
      const pipe = this.#pipe();
      if (pipe === undefined && between !== undefined && this.match(between) !== undefined) this.leave();
      else words.push(pipe ?? this.word());
    }
    return words;
  }

  protected blanks({ lines }: { lines: boolean }): void {
    for (;;) {
      this.match(/(?:[ \t\r]|\\\n)*(?:(?<=^|[ \t\n;&|()])#[^\n]*)?/y);
      if (!lines || this.peek !== "\n") return;
      this.at += 1;
      for (const each of this.#waiting.splice(0)) this.#hereDocument(each);
    }
  }

  protected since(start: number): string {
    return this.source.slice(start, this.at).trimEnd();
  }
}

/** What is read must be named: `/dev/tcp/…` is a connection, and other devices may be, too. */
function isHarmlessRedirection(operator: string, { kind, text }: Word): boolean {
  if (operator === "<<<") return true;
  if (kind !== "literal" || /^(?:<<-?|<>|<&|>\|)$/.test(operator)) return false;
  if (operator === "<") return text === "/dev/null" || !/^\/+(?:\.*\/+)*dev(?:\/|$)/.test(text);
  if (operator === ">&") return /^\d$/.test(text);
  return text === "/dev/null";
}
