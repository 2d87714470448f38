/**
 * Reads a shell command literally: the part of bash whose meaning is plain from the text, which is what people and models write all day.
 * Lists, pipes, groups, `if`, `while`, `for` over words, `[[ -f x ]]`, quotes, plain variables, `$(…)`, and redirections that
 * neither write nor connect. Whatever else is there makes the whole text not literal: nothing is skipped over.
 */

import { type LiteralWord, LiteralWords, NotLiteral } from "./literal-words.ts";

export interface LiteralCommand {
  /** The program and its arguments; empty for assignments alone. */
  readonly words: readonly LiteralWord[];
  /** Variables that are set, for the command or, where there is none, for good. */
  readonly assignments: readonly string[];
  /** It may run more than once. */
  readonly isRepeated: boolean;
  readonly source: string;
}

export interface LiteralScript {
  readonly commands: readonly LiteralCommand[];
  /** Variables that `for` sets. */
  readonly loopVariables: readonly string[];
  /** Variables whose values are used. */
  readonly used: ReadonlySet<string>;
}

const LENGTH_LIMIT = 100_000;
const DEPTH_LIMIT = 40;

/** Undefined where the text is more than that. */
export function readLiteral(source: string, { home }: { home: string }): LiteralScript | undefined {
  // Control characters, and spaces that only some locales take for spaces, mean different things to different readers.
  if (source.length > LENGTH_LIMIT || /[^\n\t\P{C}]|(?! )\p{Zs}/u.test(source)) return undefined;
  try {
    return new LiteralReader(source, home).read();
  } catch (error) {
    if (error instanceof NotLiteral) return undefined;
    throw error;
  }
}

const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function coproc in { } ! [[ ]] time".split(
    " ",
  ),
);
/** Where a command starts. `((` computes; `!(` may be a pattern. */
const KEYWORD = /^(?:\((?!\()|(?:[a-z]+|[{}]|\[\[|\]\])(?=[\s;&|<>()]|$)|!(?=[ \t]))/;
const SEPARATOR = /&&|\|\||\|&?|[;&\n]/y;
const UNARY_TEST = /^-[defhLnrswxz]$/;
const ASSIGNMENT = /([A-Za-z_]\w*)=/y;
const OTHER_ASSIGNMENT = /[A-Za-z_]\w*(?:\+=|\[)/y;
/** `2>`, `&>>`, `<<<`; here-documents are not read. */
const REDIRECTION = /(\d*)(&>>?|>>|>&|>|<<<|<)(?!<)/y;

class LiteralReader extends LiteralWords {
  readonly #commands: LiteralCommand[] = [];
  readonly #loopVariables: string[] = [];
  #loops = 0;
  #depth = 0;

  read(): LiteralScript {
    this.#list([""]);
    return { commands: this.#commands, loopVariables: this.#loopVariables, used: this.used };
  }

  protected override substitution(): void {
    this.#list([")"]);
  }

  /** Up to one of these ends, which it takes: a keyword, `)`, or nothing for the end of the text. */
  #list(ends: readonly string[]): string {
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) throw new NotLiteral();
    for (;;) {
      this.#blanks({ lines: true });
      const end = ends.find((each) => this.#isAtEnd(each));
      if (end !== undefined) {
        this.at += end.length;
        this.#depth -= 1;
        return end;
      }
      this.#command();
      this.#blanks({ lines: false });
      if (this.match(SEPARATOR) === undefined && this.peek !== "" && this.peek !== ")")
        throw new NotLiteral();
    }
  }

  #isAtEnd(end: string): boolean {
    if (end === "") return this.at >= this.source.length;
    if (!this.source.startsWith(end, this.at)) return false;
    return (
      end === ")" ||
      /^(?:[\s;&|<>)]|$)/.test(this.source.slice(this.at + end.length, this.at + end.length + 1))
    );
  }

  #blanks({ lines }: { lines: boolean }): void {
    this.match(
      lines ? /(?:[ \t\n]|\\\n|(?<=^|[\s;&|()])#[^\n]*)*/y : /(?:[ \t]|\\\n)*(?:(?<=[\s;&|()])#[^\n]*)?/y,
    );
  }

  #command(): void {
    const ahead = this.source.slice(this.at, this.at + 20);
    const [keyword = ""] = KEYWORD.exec(ahead) ?? [];
    if (keyword !== "(" && !RESERVED.has(keyword)) this.#simple();
    else {
      this.at += keyword.length;
      this.#compound(keyword);
    }
    this.#redirections();
  }

  #compound(keyword: string): void {
    if (keyword === "(") this.#list([")"]);
    else if (keyword === "{") this.#list(["}"]);
    else if (keyword === "if") this.#if();
    else if (keyword === "for") this.#for();
    else if (keyword === "[[") this.#test();
    else if (keyword === "while" || keyword === "until") {
      this.#loops += 1;
      this.#list(["do"]);
      this.#list(["done"]);
      this.#loops -= 1;
    } else if (keyword === "!" || keyword === "time") {
      this.#blanks({ lines: false });
      // `time -p`
      if (this.peek === "-") throw new NotLiteral();
      this.#command();
    } else throw new NotLiteral();
  }

  #if(): void {
    for (let end = "elif"; end !== "fi"; ) {
      if (end === "elif") this.#list(["then"]);
      end = this.#list(end === "else" ? ["fi"] : ["elif", "else", "fi"]);
    }
  }

  /** `for name in words; do … done`. In the loop the name is one of the words, as nothing else may set it. */
  #for(): void {
    const [, name = ""] = this.match(/[ \t]+([A-Za-z_]\w*)[ \t\n]+in(?=[ \t])/y) ?? [];
    if (name === "" || this.loopVariables.has(name)) throw new NotLiteral();
    const words: LiteralWord[] = [];
    for (this.#blanks({ lines: false }); !/^[;\n]?$/.test(this.peek); this.#blanks({ lines: false })) {
      words.push(this.word());
    }
    this.at += 1;
    this.#blanks({ lines: true });
    if (!this.#isAtEnd("do")) throw new NotLiteral();
    this.at += 2;
    const areOperands = words.length > 0 && words.every(isOperand);
    this.#loopVariables.push(name);
    this.loopVariables.set(name, areOperands ? "operand" : "any");
    this.#loops += 1;
    this.#list(["done"]);
    this.#loops -= 1;
    this.loopVariables.delete(name);
  }

  /** Tests of files and strings. Not numbers: bash computes them, and runs what is in a subscript. */
  #test(): void {
    const words: LiteralWord[] = [];
    for (this.#blanks({ lines: false }); !this.#isAtEnd("]]"); this.#blanks({ lines: false })) {
      words.push(this.word());
    }
    this.at += 2;
    const [first, second, third] = words[0]?.text === "!" ? words.slice(1) : words;
    const isUnary = third === undefined && second !== undefined && isTestOperator(first, UNARY_TEST);
    const isBinary = third !== undefined && isTestOperator(second, /^(?:==?|!=)$/);
    const count = words.length - (words[0]?.text === "!" ? 1 : 0);
    if (!(isUnary && count === 2) && !(isBinary && count === 3)) throw new NotLiteral();
  }

  #simple(): void {
    const start = this.at;
    let end = start;
    const words: LiteralWord[] = [];
    const assignments: string[] = [];
    for (;;) {
      this.#blanks({ lines: false });
      if (this.peek === "" || /[\n;|)]/.test(this.peek)) break;
      if (this.#redirection()) continue;
      if (this.peek === "&") break;
      if (this.#processSubstitution(words)) continue;
      if (words.length === 0 && this.match(OTHER_ASSIGNMENT) !== undefined) throw new NotLiteral();
      const [, name] = words.length === 0 ? (this.match(ASSIGNMENT) ?? []) : [];
      if (name === undefined) {
        words.push(this.word());
        end = this.at;
      } else {
        if (this.loopVariables.has(name)) throw new NotLiteral();
        assignments.push(name);
        if (!/[\s;&|)]|^$/.test(this.peek)) this.word();
      }
    }
    if (words.length === 0 && assignments.length === 0) throw new NotLiteral();
    const source = this.source.slice(start, end);
    this.#commands.push({ words, assignments, isRepeated: this.#loops > 0, source });
  }

  /** After a group or a compound command there is nothing else. */
  #redirections(): void {
    do this.#blanks({ lines: false });
    while (this.#redirection());
  }

  #redirection(): boolean {
    const [, descriptor = "", operator = ""] = this.source.startsWith("<(", this.at)
      ? []
      : (this.match(REDIRECTION) ?? []);
    if (operator === "") return false;
    this.#blanks({ lines: false });
    if (operator === "<" && this.#processSubstitution([])) return true;
    const target = this.word();
    if (!isHarmlessRedirection(operator, target) || descriptor.length > (operator.startsWith("&") ? 0 : 1))
      throw new NotLiteral();
    return true;
  }

  /** `<(…)`: a path that the shell makes. */
  #processSubstitution(words: LiteralWord[]): boolean {
    if (!this.source.startsWith("<(", this.at)) return false;
    this.at += 2;
    this.#list([")"]);
    if (!/^[\s;&|)]?$/.test(this.peek)) throw new NotLiteral();
    words.push({ kind: "operand", text: "/dev/fd/", isSingle: true, isBare: false });
    return true;
  }
}

/** It will not be taken for an option. */
export function isOperand({ kind, text }: LiteralWord): boolean {
  return kind === "operand" || (kind === "literal" && !text.startsWith("-"));
}

function isTestOperator(word: LiteralWord | undefined, pattern: RegExp): boolean {
  return word?.kind === "literal" && word.isBare && pattern.test(word.text);
}

/** What is read must be named: `/dev/tcp/…` is a connection, and other devices may be, too. */
function isHarmlessRedirection(operator: string, { kind, text }: LiteralWord): boolean {
  if (operator === "<<<") return true;
  if (kind !== "literal") return false;
  if (operator === "<") return text === "/dev/null" || !/^\/+(?:\.*\/+)*dev(?:\/|$)/.test(text);
  if (operator === ">&") return /^\d$/.test(text);
  return text === "/dev/null";
}
