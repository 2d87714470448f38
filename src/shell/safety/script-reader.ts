/**
 * Reads the text of a shell command: into commands, and the lists, pipes, groups, branches and loops that they are in. One reading for
 * both questions. `isLiteral` says whether everything in it is in the part of bash whose meaning is plain from the text, which is what
 * people and models write all day; nothing is skipped over.
 */

import { CommandReader } from "./command-reader.ts";
import type { Compound, Item, List, Statement, Word } from "./syntax.ts";
import { Notes, TooDeep } from "./word-reader.ts";

export type Script = Notes & { readonly body: List };

const LITERAL_LENGTH = 100_000;
/** Control characters, and spaces that only some locales take for spaces, mean different things to different readers. */
const UNCLEAR = /[^\n\t\P{C}]|(?! )\p{Z}/u;

/** Undefined where it is nested too deeply. */
export function readScript(source: string, { home }: { home: string }): Script | undefined {
  const notes = new Notes(home);
  notes.isLiteral = source.length <= LITERAL_LENGTH && !UNCLEAR.test(source);
  try {
    const body = new ScriptReader(source, notes).list([""]);
    return { ...notes, body };
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

export const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function coproc in { } ! [[ ]] time".split(
    " ",
  ),
);
/** Where a command starts. `!(` may be a pattern. */
const KEYWORD = /(?:\(|(?:[a-z]+|[{}]|\[\[|\]\])(?=[\s;&|<>()]|$)|!(?=[ \t]))/y;
const SEPARATOR = /&&|\|\||\|&?|;(?![;&])|&/y;
export const UNARY_TEST = /^-[defhLnrswxz]$/;
const COMPARISON = /^(?:==?|!=)$/;

class ScriptReader extends CommandReader {
  #ended = "";

  protected override inside(source: string): ScriptReader {
    return new ScriptReader(source, this.notes);
  }

  /** An end is a keyword, `)`, or nothing for the end of the text. */
  override list(ends: readonly string[]): List {
    return this.deeper(() => {
      const items: (Item & { parts: Statement[] })[] = [];
      for (let operator = ";"; ; ) {
        this.blanks({ lines: true });
        const end = this.at >= this.source.length ? "" : ends.find((each) => this.#isAtEnd(each));
        if (end !== undefined) {
          const isEmpty = items.length === 0 && /^[a-z}]+$/.test(end) && end !== "esac";
          if (!ends.includes(end) || isEmpty || (end === "" && this.isWaiting)) this.fail();
          this.at += end.length;
          this.#ended = end;
          return items;
        }
        const { commands } = this.notes;
        const before = commands.length;
        const statement = this.#command();
        const last = items.at(-1);
        const isPiped = /^\|&?$/.test(operator);
        const isFed = isPiped || statement.redirections.some((each) => each.operator.startsWith("<"));
        for (const command of isFed ? commands.slice(before) : []) command.isFed = true;
        if (isPiped && last !== undefined) last.parts.push(statement);
        else items.push({ operator, parts: [statement], isBackground: false });
        this.blanks({ lines: false });
        operator = this.match(SEPARATOR)?.[0] ?? "";
        for (const item of operator === "&" ? items.slice(-1) : []) item.isBackground = true;
        if (operator === "" && !/^[\n)]?$/.test(this.peek) && !ends.some((each) => this.#isAtEnd(each)))
          this.fail();
      }
    });
  }

  #isAtEnd(end: string): boolean {
    if (end === "" || !this.isAt(end)) return false;
    return /^[);]/.test(end) || /^(?:[\s;&|<>)]|$)/.test(this.source[this.at + end.length] ?? "");
  }

  #command(): Statement {
    const start = this.at;
    const [keyword = ""] = this.match(KEYWORD) ?? [];
    if (keyword !== "(" && !RESERVED.has(keyword)) {
      this.at = start;
      return this.simpleCommand();
    }
    const given = this.#compound(keyword, start);
    if (given.kind === "command") return given;
    const redirections = [...given.redirections];
    do this.blanks({ lines: false });
    while (this.redirection(redirections));
    return { ...given, redirections, source: this.since(start) };
  }

  #compound(keyword: string, start: number): Statement {
    if (keyword === "(") {
      this.at = start;
      const number = this.isAt("((") ? this.arithmetic() : undefined;
      if (number !== undefined) return compound("test", { words: [number] });
      this.at += 1;
      return compound("subshell", { bodies: [this.list([")"])] });
    }
    if (keyword === "{") return compound("group", { bodies: [this.list(["}"])] });
    if (keyword === "if") return this.#if();
    if (keyword === "for" || keyword === "select") return this.#for(keyword);
    if (keyword === "case") return this.#case();
    if (keyword === "[[") return this.#test();
    if (keyword === "while" || keyword === "until") {
      return this.#looping(() =>
        compound("loop", { first: this.list(["do"]), bodies: [this.list(["done"])] }),
      );
    }
    if (keyword !== "function") return this.#prefixed(keyword);
    const [, name = ""] = this.match(/\s+([^\s(){};&|<>]+)\s*(?:\([ \t]*\))?/y) ?? [];
    return this.functionNamed(name, start);
  }

  #looping<T>(read: () => T): T {
    this.loops += 1;
    const result = read();
    this.loops -= 1;
    return result;
  }

  /** `!`, `time` and `coproc` before a command; other keywords have no business here. */
  #prefixed(keyword: string): Statement {
    this.blanks({ lines: false });
    if (keyword === "coproc") {
      this.leave();
      this.match(/[A-Za-z_]\w*[ \t]+(?=[{(])/y);
    } else if (keyword !== "!" && keyword !== "time") this.fail();
    // `time -p`
    if (this.peek === "-") this.leave();
    if (keyword === "time") this.match(/(?:-p[ \t]+)?(?:--[ \t]+)?/y);
    return this.deeper(() => this.#command());
  }

  #if(): Compound {
    const first = this.list(["then"]);
    const bodies = [this.list(["elif", "else", "fi"])];
    if (this.#ended === "elif")
      bodies.push([{ operator: ";", parts: [this.deeper(() => this.#if())], isBackground: false }]);
    else if (this.#ended === "else") bodies.push(this.list(["fi"]));
    return compound("choice", { first, bodies, isTotal: bodies.length > 1 });
  }

  /** `for name in words; do … done`. In the loop the name is one of the words, as nothing else may set it. */
  #for(keyword: string): Compound {
    const plain = keyword === "for" ? this.match(/[ \t]+([A-Za-z_]\w*)[ \t\n]+in(?=[ \t])/y) : undefined;
    const [, name = "", hasWords] = plain ?? this.match(/\s*([A-Za-z_]\w*)?\s*(in(?=[\s;]|$))?/y) ?? [];
    if (plain === undefined || this.operands.has(name)) this.leave();
    const number = name === "" ? this.arithmetic() : undefined;
    const hasList = plain !== undefined || hasWords !== undefined;
    const isOver = () =>
      /^[;\n]?$/.test(this.peek) || (!hasList && (this.#isAtEnd("do") || this.#isAtEnd("{")));
    const words = this.words(isOver, { lines: false });
    if (number !== undefined) words.push(number);
    else if (!hasList) words.push(this.inside('"$@"').word());
    this.match(/;/y);
    this.blanks({ lines: true });
    const [opening] = this.match(/\{|do(?=[\s;&|<>()]|$)/y) ?? [];
    if (opening === undefined) this.fail();
    if (opening === "{") this.leave();
    this.notes.loopVariables.push(name);
    this.operands.set(name, words.length > 0 && words.every(isOperand));
    const bodies = [this.#looping(() => this.list([opening === "{" ? "}" : "done"]))];
    this.operands.delete(name);
    return compound("loop", { name, words, bodies });
  }

  #case(): Compound {
    this.leave();
    this.blanks({ lines: true });
    const words = [this.word()];
    const bodies: List[] = [];
    this.blanks({ lines: true });
    if (this.match(/in(?=\s|$)/y) === undefined) this.fail();
    for (this.#ended = ";;"; this.#ended.startsWith(";"); ) {
      this.blanks({ lines: true });
      if (this.match(/esac(?=[\s;&|<>)]|$)/y) !== undefined) break;
      this.match(/\(/y);
      words.push(...this.words(() => this.peek === ")", { lines: true, between: /\|/y }));
      this.at += 1;
      bodies.push(this.list([";;&", ";;", ";&", "esac"]));
    }
    return compound("choice", { words, bodies, isTotal: words.some((word) => word.source === "*") });
  }

  /** Literal are tests of files and strings. Not of numbers: bash computes them, and runs what is in a subscript. */
  #test(): Compound {
    const start = this.at;
    const words = this.words(() => this.#isAtEnd("]]"), { lines: true, between: /[()<>&|;]+/y });
    if (this.peek === "") this.fail();
    this.at += 2;
    const [first, second, third, more] = words[0]?.text === "!" ? words.slice(1) : words;
    const isUnary = second !== undefined && third === undefined && isTestOperator(first, UNARY_TEST);
    const isBinary = third !== undefined && more === undefined && isTestOperator(second, COMPARISON);
    if ((!isUnary && !isBinary) || this.since(start).includes("\n")) this.leave();
    return compound("test", { words });
  }

  protected override functionNamed(name: string, start: number): Compound {
    this.leave();
    this.blanks({ lines: true });
    const parts = [this.deeper(() => this.#command())];
    const bodies = [[{ operator: ";", parts, isBackground: false }]];
    const whole = compound("function", { name, bodies, source: this.since(start) });
    this.notes.functions.push(whole);
    return whole;
  }
}

function compound(kind: Compound["kind"], given: Partial<Compound>): Compound {
  return {
    name: "",
    words: [],
    first: [],
    bodies: [],
    redirections: [],
    source: "",
    isTotal: false,
    ...given,
    kind,
  };
}

/** It will not be taken for an option. */
export function isOperand({ kind, text }: Word): boolean {
  return kind === "operand" || (kind === "literal" && !text.startsWith("-"));
}

function isTestOperator(word: Word | undefined, pattern: RegExp): boolean {
  return word?.kind === "literal" && word.isBare && pattern.test(word.text);
}
