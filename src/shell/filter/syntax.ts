/**
 * Regular expressions as people write them (the common part of JavaScript, Python and PCRE), parsed into a tree. What
 * needs backtracking (back-references, look-around) is refused: a filter must never take more than linear time.
 */

import { ShellError } from "../errors.ts";
import { type CharSet, charSet, classes, complement } from "./char-set.ts";

export type Assertion = "start" | "end" | "word-boundary" | "not-word-boundary";

export type Node =
  | { readonly type: "set"; readonly set: CharSet }
  | { readonly type: "assert"; readonly assertion: Assertion }
  | { readonly type: "sequence"; readonly parts: readonly Node[] }
  | { readonly type: "choice"; readonly parts: readonly Node[] }
  | { readonly type: "repeat"; readonly node: Node; readonly min: number; readonly max: number };

const maxRepeat = 1000;

export function parsePattern(pattern: string): Node {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const parser = new Parser(pattern, flags?.[0].length ?? 0, flags?.[1]?.includes("i") === true);
  return parser.all();
}

class Parser {
  readonly #pattern: string;
  readonly #ignoreCase: boolean;
  #at: number;

  constructor(pattern: string, start: number, ignoreCase: boolean) {
    this.#pattern = pattern;
    this.#at = start;
    this.#ignoreCase = ignoreCase;
  }

  all(): Node {
    const node = this.#choice();
    if (this.#at < this.#pattern.length) throw this.#problem("unmatched ')'");
    return node;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !this.#sees("|") && !this.#sees(")")) {
      parts.push(this.#repeated(this.#atom()));
    }
    return { type: "sequence", parts };
  }

  #repeated(node: Node): Node {
    const range = this.#quantifier();
    if (range === undefined) return node;
    // Whether it is greedy or not makes no difference to whether a line matches.
    if (!this.#take("?")) this.#take("+");
    if (this.#quantifier() !== undefined) throw this.#problem("nothing to repeat");
    return { type: "repeat", node, ...range };
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 12));
    if (braces === null) return undefined;
    this.#at += braces[0].length;
    const min = Number(braces[1]);
    const open = braces[3] === "" ? Number.POSITIVE_INFINITY : Number(braces[3]);
    const max = braces[2] === undefined ? min : open;
    if (min > maxRepeat || (max > maxRepeat && max !== Number.POSITIVE_INFINITY)) {
      throw this.#problem(`more than ${maxRepeat} repetitions`);
    }
    if (max < min) throw this.#problem("numbers out of order in {}");
    return { min, max };
  }

  #atom(): Node {
    const char = this.#next();
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return { type: "set", set: this.#bracket() };
      case ".":
        return { type: "set", set: classes.any };
      case "^":
        return { type: "assert", assertion: "start" };
      case "$":
        return { type: "assert", assertion: "end" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw this.#problem("nothing to repeat");
      default:
        return this.#literal(char);
    }
  }

  #group(): Node {
    if (this.#take("?")) {
      const kind = /^(?::|P?<[A-Za-z_]\w*>)/.exec(this.#pattern.slice(this.#at));
      if (kind === null) throw this.#problem("look-around and inline flags are not supported");
      this.#at += kind[0].length;
    }
    const node = this.#choice();
    if (!this.#take(")")) throw this.#problem("missing ')'");
    return node;
  }

  #escape(): Node {
    const char = this.#next("a '\\' at the end");
    if (char === "b") return { type: "assert", assertion: "word-boundary" };
    if (char === "B") return { type: "assert", assertion: "not-word-boundary" };
    if (char === "A") return { type: "assert", assertion: "start" };
    if (char === "Z" || char === "z") return { type: "assert", assertion: "end" };
    if (/[1-9k]/.test(char)) throw this.#problem("back-references are not supported");
    return { type: "set", set: this.#escapedSet(char) };
  }

  #escapedSet(char: string): CharSet {
    const named = classes[char];
    if (named !== undefined) return named;
    const control = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", e: "\x1b", "0": "\0" }[char];
    if (control !== undefined) return charSet([[control.charCodeAt(0), control.charCodeAt(0)]]);
    const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(
      `${char}${this.#pattern.slice(this.#at, this.#at + 4)}`,
    );
    if (hex !== null) {
      this.#at += hex[0].length - 1;
      const code = Number.parseInt(hex[1] ?? hex[2] ?? "0", 16);
      return charSet([[code, code]]);
    }
    if (/[A-Za-z]/.test(char)) throw this.#problem(`unknown escape '\\${char}'`);
    return this.#oneChar(char.charCodeAt(0));
  }

  #bracket(): CharSet {
    const negated = this.#take("^");
    const ranges: [number, number][] = [];
    for (let first = true; first || !this.#sees("]"); first = false) {
      const low = this.#bracketItem();
      const isRange =
        low.length === 1 &&
        low[0]?.[0] === low[0]?.[1] &&
        this.#sees("-") &&
        this.#pattern[this.#at + 1] !== "]";
      if (!isRange) {
        ranges.push(...low.map(([from, to]): [number, number] => [from, to]));
        continue;
      }
      this.#at += 1;
      const [from, to] = [low[0]?.[0] ?? 0, this.#bracketItem()[0]?.[1] ?? 0];
      if (to < from) throw this.#problem("range out of order in []");
      ranges.push([from, to]);
    }
    this.#at += 1;
    const set = charSet(this.#ignoreCase ? ranges.flatMap(bothCases) : ranges);
    return negated ? complement(set) : set;
  }

  #bracketItem(): CharSet {
    const posix = /^\[:(\w+):\]/.exec(this.#pattern.slice(this.#at, this.#at + 12));
    if (posix !== null) {
      this.#at += posix[0].length;
      const named = classes[`:${posix[1]}:`];
      if (named === undefined) throw this.#problem(`unknown class '${posix[0]}'`);
      return named;
    }
    const char = this.#next("missing ']'");
    if (char !== "\\") return charSet([[char.charCodeAt(0), char.charCodeAt(0)]]);
    const escaped = this.#next("missing ']'");
    return escaped === "b" ? charSet([[8, 8]]) : this.#escapedSet(escaped);
  }

  #literal(char: string): Node {
    return { type: "set", set: this.#oneChar(char.charCodeAt(0)) };
  }

  #oneChar(code: number): CharSet {
    return charSet(this.#ignoreCase ? bothCases([code, code]) : [[code, code]]);
  }

  #sees(char: string): boolean {
    return this.#pattern[this.#at] === char;
  }

  #take(char: string): boolean {
    if (!this.#sees(char)) return false;
    this.#at += 1;
    return true;
  }

  #next(problem = "unexpected end"): string {
    const char = this.#pattern[this.#at];
    if (char === undefined) throw this.#problem(problem);
    this.#at += 1;
    return char;
  }

  #problem(what: string): ShellError {
    const issue = `filter '${this.#pattern}' is not a regular expression that can be used: ${what}`;
    return new ShellError("bad-filter", { issue, code: "INVALID_FILTER" });
  }
}

/** A range and what its letters are in the other case. Wide ranges only for ASCII: nobody writes others. */
function bothCases([from, to]: readonly [number, number]): [number, number][] {
  const ranges: [number, number][] = [[from, to]];
  for (let code = from; code <= Math.min(to, from + 255); code += 1) {
    const char = String.fromCharCode(code);
    for (const other of [char.toLowerCase(), char.toUpperCase()]) {
      if (other.length === 1 && other !== char) ranges.push([other.charCodeAt(0), other.charCodeAt(0)]);
    }
  }
  return ranges;
}
