/**
 * Words of a shell command whose meaning is plain from the text. Everything else throws `NotLiteral`: what bash would compute
 * (arithmetic, subscripts, operators of `${…}`, braces, here-documents) is never worked out here.
 */

/** The text is outside the part of bash that is read literally. */
export class NotLiteral extends Error {}

/**
 * `literal`: exactly this text. `operand`: text that only the shell will know, but no word of it starts with a dash. `any`: any number
 * of words with any text.
 */
export type WordKind = "literal" | "operand" | "any";

export interface LiteralWord {
  readonly kind: WordKind;
  /** For `literal` all of it; else what it starts with, as far as that is known. */
  readonly text: string;
  /** It will be one word, whatever it is. */
  readonly isSingle: boolean;
  /** Nothing in it is quoted: it may be a keyword or an alias. */
  readonly isBare: boolean;
}

const PLAIN = /[A-Za-z0-9_./,:=+@%^!~#\]-]+/y;
const WORD_END = /[\s;&|<>()]/;
/** Braces that bash leaves as they are: `HEAD@{1}`, `{}`. */
const INERT_BRACES = /\{[A-Za-z0-9_-]*\}/y;
const PARAMETER = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|([0-9?#$!*@-]))/y;
/** A dollar sign that stands for itself between double quotes. */
const LONE_DOLLAR = /\$(?=["\s|)/])/y;

export abstract class LiteralWords {
  protected at = 0;
  /** Variables that the text uses. */
  readonly used = new Set<string>();
  /** Loop variables in scope, with what they may be. */
  protected readonly loopVariables = new Map<string, WordKind>();

  constructor(
    protected readonly source: string,
    private readonly home: string,
  ) {}

  /** Reads the commands of `$(…)` up to its parenthesis. */
  protected abstract substitution(): void;

  protected word(): LiteralWord {
    const part: Part = { text: "", isKnown: true, isSafeStart: false, isSplit: false };
    const start = this.at;
    let isBare = true;
    let isPattern = false;
    for (let next = this.peek; next !== "" && !WORD_END.test(next); next = this.peek) {
      if ("'\"\\$*?".includes(next)) isBare = false;
      if (next === "'") add(part, this.#singleQuoted());
      else if (next === '"') this.#doubleQuoted(part);
      else if (next === "\\") add(part, this.#escaped());
      else if (next === "$") this.#expansion(part, { isQuoted: false });
      else if (next === "~" && this.at === start) add(part, this.#tilde());
      else if (next === "*" || next === "?" || (next === "[" && !this.#isMark(start))) {
        this.at += 1;
        isPattern = true;
        addUnknown(part, "any");
      } else add(part, this.#plain(start));
    }
    if (this.at === start) throw new NotLiteral();
    const kind = part.isKnown ? "literal" : part.isSafeStart && !part.isSplit ? "operand" : "any";
    return { kind, text: part.text, isSingle: !part.isSplit && !isPattern, isBare };
  }

  protected get peek(): string {
    return this.source[this.at] ?? "";
  }

  protected match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }

  #singleQuoted(): string {
    const end = this.source.indexOf("'", this.at + 1);
    if (end === -1) throw new NotLiteral();
    const text = this.source.slice(this.at + 1, end);
    this.at = end + 1;
    return text;
  }

  #doubleQuoted(part: Part): void {
    this.at += 1;
    for (let next = this.peek; next !== '"'; next = this.peek) {
      if (next === "" || next === "`") throw new NotLiteral();
      if (next === "\\") {
        const found = this.match(/\\(?:\n|(["$`\\])|([\s\S]))/y);
        if (found === undefined) throw new NotLiteral();
        const [, escaped, other] = found;
        add(part, escaped ?? (other === undefined ? "" : `\\${other}`));
      } else if (next !== "$") {
        this.at += 1;
        add(part, next);
      } else if (this.match(LONE_DOLLAR) !== undefined) add(part, "$");
      else this.#expansion(part, { isQuoted: true });
    }
    this.at += 1;
  }

  #escaped(): string {
    const next = this.source[this.at + 1] ?? "";
    if (next === "" || next === "\n") throw new NotLiteral();
    this.at += 2;
    return next;
  }

  #expansion(part: Part, { isQuoted }: { isQuoted: boolean }): void {
    if (!isQuoted) part.isSplit = true;
    if (this.source.startsWith("$(", this.at) && this.source[this.at + 2] !== "(") {
      this.at += 2;
      this.substitution();
      addUnknown(part, "any");
      return;
    }
    const [, plain, braced, special = ""] = this.match(PARAMETER) ?? [];
    const name = plain ?? braced ?? special;
    if (name === "") throw new NotLiteral();
    if (name === "@") part.isSplit = true;
    this.used.add(name);
    addUnknown(part, this.loopVariables.get(name) ?? (/^[?#$]$/.test(name) ? "operand" : "any"));
  }

  /** Only one's own home. */
  #tilde(): string {
    this.at += 1;
    if (this.peek !== "/" && this.peek !== "" && !WORD_END.test(this.peek)) throw new NotLiteral();
    return this.home;
  }

  #plain(start: number): string {
    const [text] = this.match(PLAIN) ?? this.match(INERT_BRACES) ?? [];
    if (text !== undefined) return text;
    if (!this.#isMark(start)) throw new NotLiteral();
    this.at += 1;
    return this.source[this.at - 1] ?? "";
  }

  /** A word of its own: the test `[`, or a brace of a group. */
  #isMark(start: number): boolean {
    return this.at === start && /^[[{}](?:[\s;&|)]|$)/.test(this.source.slice(start, start + 2));
  }
}

/** A word while it is read. */
interface Part {
  text: string;
  isKnown: boolean;
  /** What comes after the known text cannot make an option of it. */
  isSafeStart: boolean;
  isSplit: boolean;
}

function add(part: Part, text: string): void {
  if (part.isKnown) part.text += text;
}

function addUnknown(part: Part, kind: WordKind): void {
  if (part.isKnown) part.isSafeStart = part.text === "" ? kind === "operand" : !part.text.startsWith("-");
  part.isKnown = false;
}
