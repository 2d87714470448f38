/** Words of the syntax tree to the fields that they may stand for: quotes, escapes, tilde, variables, substitutions. */

import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import type { Scene } from "./statements.ts";
import {
  ansiQuoted,
  combine,
  doubleQuoted,
  fieldsOf,
  plainText,
  splitValue,
  unknown,
  unquoted,
} from "./word-value.ts";

/** Several nodes make one word where nothing separates them. Each alternative is a list of fields. */
export function expandWord(word: readonly SyntaxNode[], scene: Scene): string[][] {
  const quoted = word.some(isQuoted);
  const alternatives = new Expansion(scene).word(word).map((text) => fieldsOf(text, { quoted }));
  return alternatives.length === 0 ? [[]] : alternatives;
}

/** A word where the shell neither splits nor expands wildcards: a value, a here-string, a `case` word. */
export function expandValue(word: readonly SyntaxNode[], scene: Scene): string[] {
  return new Expansion(scene).word(word).map(plainText);
}

/** A text with expansions between literal stretches: a here-document's body. */
export function expandText(node: SyntaxNode, scene: Scene): string[] {
  return new Expansion(scene).between(node, node.start, node.end);
}

function isQuoted(node: SyntaxNode): boolean {
  if (["string", "raw_string", "ansi_c_string", "translated_string"].includes(node.type)) return true;
  return node.type === "concatenation" && node.children.some(isQuoted);
}

class Expansion {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  word(nodes: readonly SyntaxNode[]): string[] {
    const [first] = nodes;
    const pieces = nodes.flatMap((node) => (node.type === "concatenation" ? node.children : [node]));
    const texts = pieces.map((piece, index) => {
      // The grammar takes the `$` of `$"…"` for a word of its own.
      if (textOf(piece) === "$" && pieces[index + 1]?.type === "string") return [""];
      return this.#piece(piece);
    });
    const tilde = first === undefined ? undefined : this.#tilde(pieces[0]);
    return combine(tilde === undefined ? texts : [tilde, ...texts.slice(1)]);
  }

  /** The literal text around a node's expansions, with them: what double quotes and here-documents hold. */
  between(node: SyntaxNode, start: number, end: number): string[] {
    const parts: string[][] = [];
    let at = start;
    for (const child of namedChildren(node)) {
      if (child.type === "string_content" || child.type === "heredoc_content") continue;
      const source = textOf(child);
      // The grammar counts the space before `$(` to it.
      const from = child.start + (source.length - source.trimStart().length);
      parts.push([doubleQuoted(node.source.slice(at, from))], this.#expansion(child, { quoted: true }));
      at = child.end;
    }
    parts.push([doubleQuoted(node.source.slice(at, end))]);
    return combine(parts);
  }

  #tilde(piece: SyntaxNode | undefined): string[] | undefined {
    const source = piece?.type === "word" ? textOf(piece) : "";
    const [, name, rest] = /^~([^/]*)(.*)$/s.exec(source) ?? [];
    if (name === undefined || rest === undefined) return undefined;
    const homes =
      name === ""
        ? this.#scene.state.values("HOME")
        : name === "+"
          ? this.#scene.state.directories
          : name === "root"
            ? ["/root"]
            : [unknown];
    return homes.map((home) => home + unquoted(rest));
  }

  #piece(node: SyntaxNode): string[] {
    const source = textOf(node);
    switch (node.type) {
      case "raw_string":
        return [source.slice(1, -1)];
      case "ansi_c_string":
        return [ansiQuoted(source.slice(2, -1))];
      case "string":
        return this.between(node, node.start + 1, node.end - 1);
      case "translated_string":
        return combine(namedChildren(node).map((child) => this.#piece(child)));
      case "concatenation":
        return combine(node.children.map((child) => this.#piece(child)));
      case "word":
      case "number":
      case "variable_name":
        return [unquoted(source)];
      default:
        return node.children.length === 0 ? [unquoted(source)] : this.#expansion(node, { quoted: false });
    }
  }

  #expansion(node: SyntaxNode, { quoted }: { quoted: boolean }): string[] {
    const values = this.#values(node);
    return quoted ? values : values.map((value) => splitValue(value, this.#scene.state.separators));
  }

  #values(node: SyntaxNode): string[] {
    switch (node.type) {
      case "simple_expansion":
        return [...this.#scene.state.values(textOf(node).trimStart().slice(1))];
      case "expansion":
        return this.#parameter(node);
      case "command_substitution":
        return [this.#scene.reader.outputOf(node, this.#scene.state)];
      case "process_substitution":
        return [this.#scene.reader.pipeOf(node, this.#scene.state)];
      default:
        visitScripts(node, this.#scene);
        return [unknown];
    }
  }

  /** `${…}`. Only what people write in paths is worked out; the rest is unknown. */
  #parameter(node: SyntaxNode): string[] {
    const [first, ...others] = node.children.filter((child) => textOf(child) !== "${" && child.type !== "}");
    if (first === undefined || first.field === "operator") {
      visitScripts(node, this.#scene);
      return [unknown];
    }
    const name = first.type === "subscript" ? textOf(first.children[0] ?? first) : textOf(first);
    const values = this.#scene.state.values(name);
    if (first.type === "subscript") visitScripts(first, this.#scene);
    const [operator, ...word] = others;
    if (operator === undefined) return [...values];
    const argument = word.length === 0 ? [""] : this.word(word).map(plainText);
    const given = values.filter((value) => value !== "");
    const isKnown = given.length > 0 && !given.includes(unknown);
    switch (textOf(operator)) {
      case ":-":
      case "-":
      case ":=":
      case "=":
        return isKnown ? given : [...given, ...argument];
      case ":+":
      case "+":
        return isKnown ? argument : [unknown, ...argument];
      case ":?":
      case "?":
        return given;
      case "%":
      case "%%":
        return withoutEnd(values, argument[0] ?? "");
      default:
        return [unknown];
    }
  }
}

/** `${HOME%/}` and `${HOME%/*}`. */
function withoutEnd(values: readonly string[], pattern: string): string[] {
  if (pattern === "/") return values.map((value) => value.replace(/\/$/, ""));
  if (pattern === "/*") return values.map((value) => value.replace(/\/[^/]*$/, ""));
  return [unknown];
}

/** Runs every script inside a node: for tests and arithmetic, where only that matters. */
export function visitScripts(node: SyntaxNode, scene: Scene): void {
  for (const child of node.children) {
    if (child.type === "command_substitution") scene.reader.outputOf(child, scene.state);
    else if (child.type === "process_substitution") scene.reader.pipeOf(child, scene.state);
    else visitScripts(child, scene);
  }
}
