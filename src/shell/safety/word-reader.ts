/**
 * Reads the words of a shell command. As long as the meaning is plain from the text the reading is literal; what bash would compute
 * (arithmetic, subscripts, operators of `${…}`, braces, here-documents) is read as well, but ends that.
 */

import { activated, ansiQuoted, plainText, tilde } from "./marks.ts";
import type { Command, Compound, List, Part, Substitution, Variable, Word } from "./syntax.ts";

/** Nested beyond what anybody writes. */
export class TooDeep extends Error {}

/** What is found in a text and in the texts inside it. */
export class Notes {
  /** The meaning is plain from the text: nothing in it is computed, matched, or written to. */
  isLiteral = true;
  /** Bash would take it for a script. */
  isComplete = true;
  /** Every command, wherever it is. */
  readonly commands: Command[] = [];
  readonly functions: Compound[] = [];
  /** Variables that `for` sets. */
  readonly loopVariables: string[] = [];
  /** Variables whose values are used. */
  readonly used = new Set<string>();
  depth = 0;
  constructor(readonly home: string) {}
}

const LITERAL_DEPTH = 40;
const DEPTH_LIMIT = 150;

const PLAIN = /[A-Za-z0-9_./,:=+@%^!~#\]-]+/y;
/** Inside `${…}`, `$((…))` and subscripts, other letters have no meaning. */
const PLAIN_INSIDE = /[A-Za-z0-9_./,:=+@%^!~#-]+|[^'"\\$`]/y;
/** Other spaces are letters to bash. */
const WORD_END = /[ \t\r\n;&|<>()]/;
/** Braces that bash leaves as they are: `HEAD@{1}`, `{}`. */
const INERT_BRACES = /\{[A-Za-z0-9_-]*\}/y;
const PARAMETER = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|([0-9?#$!*@-]))/y;
const BRACED = /\$\{([#!](?=[A-Za-z_0-9@*]))?([A-Za-z_]\w*|\d+|[@*#?$!-])?/y;
const OPERATOR = /:?[-=?+]|##?|%%?|\/\/?|\^\^?|,,?|@[A-Za-z]|:/y;
/** A dollar sign that stands for itself between double quotes. */
const LONE_DOLLAR = /\$(?=["\s|)/])/y;
const WILDCARD = /[\uE001-\uE003]/;

export abstract class WordReader {
  protected at = 0;
  /** Loop variables in scope: whether they can be no options. */
  protected readonly operands = new Map<string, boolean>();

  constructor(
    protected readonly source: string,
    protected readonly notes: Notes,
  ) {}

  /** The commands up to one of these ends, which it takes. */
  abstract list(ends: readonly string[]): List;
  /** A reader of a text inside this one. */
  protected abstract inside(source: string): WordReader;

  word(): Word {
    const parts: Part[] = [];
    const start = this.at;
    for (let next = this.peek; next !== ""; next = this.peek) {
      if (next === "(" && this.at > start && /[?*+@!]/.test(this.source[this.at - 1] ?? "")) {
        this.at += 1;
        // The letter before it is a part of the pattern.
        const last = parts.pop();
        if (typeof last === "string") parts.push(last.slice(0, -1));
        parts.push(substitution("pattern", { word: this.wordInside(")") }));
      } else if (WORD_END.test(next)) break;
      else this.#piece(parts, start, PLAIN);
    }
    if (this.at === start) {
      this.fail();
      this.at += 1;
    }
    return this.#finished(parts, start);
  }

  /** All of the text, as it is between double quotes. */
  text(): Word {
    const parts: Part[] = [];
    this.#quoted(parts, "");
    return this.#finished(parts, 0);
  }

  /** Up to this letter, which it takes. */
  protected wordInside(end: string): Word {
    this.leave();
    return this.deeper(() => {
      const parts: Part[] = [];
      const start = this.at;
      for (let open = 0; this.peek !== "" && (this.peek !== end || open > 0); ) {
        if (end === ")") open += this.peek === "(" ? 1 : this.peek === ")" ? -1 : 0;
        this.#piece(parts, -1, PLAIN_INSIDE);
      }
      if (this.peek === "") this.fail();
      const word = this.#finished(parts, start);
      this.at += 1;
      return word;
    });
  }

  /** At `((`: undefined where they do not close at once, as then it is a subshell in another. */
  protected arithmetic(): Word | undefined {
    this.leave();
    let depth = 0;
    for (let at = this.at; depth !== 1 || at < this.at + 2; at += 1) {
      if (at >= this.source.length) return undefined;
      depth += this.source[at] === "(" ? 1 : this.source[at] === ")" ? -1 : 0;
      if (depth === 1 && at > this.at + 1 && this.source[at + 1] !== ")") return undefined;
    }
    this.at += 2;
    const word = this.wordInside(")");
    this.at += 1;
    return { ...word, parts: [substitution("computed", { word })] };
  }

  protected get peek(): string {
    return this.source[this.at] ?? "";
  }

  protected isAt(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  protected match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }

  /** From here on the text is more than literal. */
  protected leave(): void {
    this.notes.isLiteral = false;
  }

  /** Bash would not take the text. Reading goes on all the same: what is there may be run by somebody else. */
  protected fail(): void {
    this.notes.isLiteral = false;
    this.notes.isComplete = false;
  }

  protected deeper<T>(read: () => T): T {
    this.notes.depth += 1;
    if (this.notes.depth > LITERAL_DEPTH) this.leave();
    if (this.notes.depth > DEPTH_LIMIT) throw new TooDeep();
    const result = read();
    this.notes.depth -= 1;
    return result;
  }

  /** @param plain letters without a meaning. */
  #piece(parts: Part[], start: number, plain: RegExp): void {
    const next = this.peek;
    const [wildcard] = this.#isMark(start) ? [] : (this.match(/[*?]+|\[/y) ?? []);
    if (wildcard !== undefined) parts.push(activated(wildcard));
    else if (next === "$") parts.push(this.#dollar({ isQuoted: false }));
    else if (next === "`") parts.push(this.#backquoted({ isQuoted: false }));
    else if (next === "\\") parts.push(this.#escaped());
    else if (next === "'" || next === '"') {
      this.at += 1;
      if (next === "'") parts.push(this.match(/[^']*/y)?.[0] ?? "");
      else this.#quoted(parts, next);
      if (this.peek === "") this.fail();
      this.at += 1;
    } else parts.push(this.#plain(start, plain));
  }

  /** Up to the end, which it does not take. */
  #quoted(parts: Part[], end: string): void {
    for (let next = this.peek; next !== end && next !== ""; next = this.peek) {
      const [plain] = this.match(/[^"\\$`]+|"/y) ?? this.match(LONE_DOLLAR) ?? [];
      if (plain !== undefined) parts.push(plain);
      else if (next === "$") parts.push(this.#dollar({ isQuoted: true }));
      else if (next === "`") parts.push(this.#backquoted({ isQuoted: true }));
      else {
        const [, escaped, other] = this.match(/\\(?:\n|(["$`\\])|([\s\S])|$)/y) ?? [];
        parts.push(escaped ?? (other === undefined ? "" : `\\${other}`));
      }
    }
  }

  #escaped(): string {
    const next = this.source[this.at + 1] ?? "";
    if (next === "" || next === "\n") this.leave();
    this.at += 2;
    return next === "\n" ? "" : next;
  }

  #plain(start: number, plain: RegExp): string {
    // Literal is only one's own home.
    if (this.at === start && /^~[^/\s;&|<>()]/.test(this.source.slice(start, start + 2))) this.leave();
    const [text] = this.match(plain) ?? [];
    if (text !== undefined) return activated(text);
    const [inert] = this.match(INERT_BRACES) ?? [];
    if (inert !== undefined) return inert;
    const isMark = this.#isMark(start);
    if (!isMark) this.leave();
    this.at += 1;
    const letter = this.source[this.at - 1] ?? "";
    return isMark ? letter : activated(letter);
  }

  /** A word of its own: the test `[`, or a brace of a group. */
  #isMark(start: number): boolean {
    return this.at === start && /^[[{}](?:[\s;&|)]|$)/.test(this.source.slice(start, start + 2));
  }

  #dollar({ isQuoted }: { isQuoted: boolean }): Part {
    if (this.isAt("$(")) {
      this.at += 1;
      const [computed] = this.isAt("((") ? (this.arithmetic()?.parts ?? []) : [];
      if (computed !== undefined) return computed;
      this.at += 1;
      return substitution("output", { body: this.list([")"]), isQuoted });
    }
    const [, plain, braced, special] = this.match(PARAMETER) ?? [];
    const name = plain ?? braced ?? special;
    if (name !== undefined) {
      this.notes.used.add(name);
      const isOperand = this.operands.get(name) ?? /^[?#$]$/.test(name);
      const isList = name === "@" || name === "*";
      return {
        kind: "variable",
        name,
        operator: "",
        subscript: undefined,
        argument: undefined,
        isList,
        isQuoted,
        isOperand,
      };
    }
    this.leave();
    if (this.isAt("${")) return this.#braced({ isQuoted });
    this.at += 1;
    if (this.match(/\[/y) !== undefined) return substitution("computed", { word: this.wordInside("]") });
    const [, text, end] = isQuoted ? [] : (this.match(/'((?:[^'\\]|\\[\s\S])*)('?)/y) ?? []);
    if (end === "") this.fail();
    // `$"…"` is a text that may be translated.
    return text === undefined ? (!isQuoted && this.peek === '"' ? "" : "$") : ansiQuoted(text);
  }

  /** `${…}` with more than a name. */
  #braced({ isQuoted }: { isQuoted: boolean }): Variable {
    const [, prefix = "", name = ""] = this.match(BRACED) ?? [];
    this.notes.used.add(name);
    const subscript = this.match(/\[/y) === undefined ? undefined : this.wordInside("]");
    const [operator = prefix] = this.match(OPERATOR) ?? [];
    const argument = this.wordInside("}");
    const isList = /^[@*]$/.test(subscript?.source ?? name);
    return { kind: "variable", name, operator, subscript, argument, isList, isQuoted, isOperand: false };
  }

  #backquoted({ isQuoted }: { isQuoted: boolean }): Part {
    this.leave();
    const [, source = "", end] = this.match(/`((?:[^`\\]|\\[\s\S])*)(`?)/y) ?? [];
    if (end !== "`") this.fail();
    const body = this.deeper(() => this.inside(source.replace(/\\([$`\\])/g, "$1")).list([""]));
    return substitution("output", { body, isQuoted });
  }

  #finished(parts: readonly Part[], start: number): Word {
    const source = this.source.slice(start, this.at);
    const isWild = (part: Part) => typeof part === "string" && WILDCARD.test(part);
    const end = parts.findIndex((part) => typeof part !== "string" || isWild(part));
    const known = (end === -1 ? parts : parts.slice(0, end)).join("");
    const text = plainText(known.startsWith(tilde) ? this.notes.home + known.slice(1) : known);
    const isSplit = parts.some(
      (part) => typeof part !== "string" && (!part.isQuoted || ("name" in part && part.name === "@")),
    );
    const first = parts[end];
    const isSafe =
      text === ""
        ? typeof first === "object" && "isOperand" in first && first.isOperand
        : !text.startsWith("-");
    return {
      parts,
      kind: end === -1 ? "literal" : isSafe && !isSplit ? "operand" : "any",
      text,
      source,
      isSingle: !isSplit && !parts.some(isWild),
      isBare: !/['"\\$*?]/.test(source),
      isQuoted: /['"]/.test(source),
    };
  }
}

export function substitution(kind: Substitution["kind"], given: Partial<Substitution>): Substitution {
  return { body: [], word: undefined, isQuoted: false, ...given, kind };
}
