/** Commands in places that no statement looks into: patterns, subscripts, and texts that bash computes. */

import { type SyntaxNode, textOf } from "./parser.ts";

/** Called with what bash would run there. */
export interface HiddenVisitor {
  node(node: SyntaxNode): void;
  text(source: string): void;
  /** What a variable may hold. */
  values(name: string): readonly string[];
}

/** What they are given is computed as numbers and subscripts, which may hold commands. */
const COMPUTING = new Set([
  "arithmetic_expansion",
  "test_command",
  "declaration_command",
  "unset_command",
  "subscript",
]);
const COMPUTING_COMMAND = /^(?:test|\[|let|printf|read|mapfile|readarray|unset)(?:\s|$)|^\(\(/;
/** The grammar does not look into these. */
const OPAQUE = new Set(["regex", "extglob_pattern"]);

export function visitHidden(node: SyntaxNode, visitor: HiddenVisitor, isComputed = false): void {
  if (node.type === "command_substitution" || node.type === "process_substitution") visitor.node(node);
  const computes =
    isComputed ||
    COMPUTING.has(node.type) ||
    (["command", "compound_statement"].includes(node.type) && COMPUTING_COMMAND.test(textOf(node)));
  if (OPAQUE.has(node.type)) for (const source of scriptsIn(textOf(node))) visitor.text(source);
  if (computes && node.type === "raw_string") visitSubscript(textOf(node), visitor);
  if (node.type === "variable_name" && computes) {
    for (const value of visitor.values(textOf(node))) visitSubscript(value, visitor);
  }
  const [, prompt] = node.type === "expansion" ? (/^\$\{(\w+)@P\}$/.exec(textOf(node)) ?? []) : [];
  const prompts = prompt === undefined ? [] : visitor.values(prompt);
  for (const source of prompts.flatMap(scriptsIn)) visitor.text(source);
  const inside = computes && node.type !== "command_substitution";
  for (const child of node.children) visitHidden(child, visitor, inside);
}

/** `a[$(…)]`, where a number or a name was expected. */
function visitSubscript(text: string, visitor: HiddenVisitor): void {
  if (/\w\[/.test(text)) for (const source of scriptsIn(text)) visitor.text(source);
}

const SCRIPT_LIMIT = 50;

/** The scripts of `$(…)` and backquotes in a text. */
export function scriptsIn(text: string): string[] {
  const scripts = [...text.matchAll(/`((?:[^`\\]|\\[\s\S])*)`/g)].map(([, source = ""]) =>
    source.replace(/\\([$`\\])/g, "$1"),
  );
  for (
    let at = text.indexOf("$(");
    at !== -1 && scripts.length < SCRIPT_LIMIT;
    at = text.indexOf("$(", at + 2)
  ) {
    let end = at + 2;
    for (let depth = 1; end < text.length; end += 1) {
      if (text[end] === "(") depth += 1;
      else if (text[end] === ")") depth -= 1;
      if (depth === 0) break;
    }
    scripts.push(text.slice(at + 2, end));
  }
  return scripts.slice(0, SCRIPT_LIMIT);
}
