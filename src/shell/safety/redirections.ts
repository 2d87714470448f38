/** Redirections as the grammar has them, which is not quite as the shell does: see `Tail`. */

import { expandText, expandValue, expandWord } from "./expand-word.ts";
import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import type { Redirection } from "./reading.ts";
import type { Scene } from "./statements.ts";
import { plainText, unknown } from "./word-value.ts";

/**
 * What stands after a statement and belongs to its last command. The grammar hangs the redirections of `a && b > c` on the
 * whole, takes words after a redirection (`rm > log -rf x`) for further targets, and puts the rest of a line that opens a
 * here-document into that here-document.
 */
export interface Tail {
  readonly redirections: readonly SyntaxNode[];
  /** Words that are the command's. */
  readonly words: readonly SyntaxNode[];
  /** What goes on after the command on the line of a here-document. */
  readonly continuations: readonly Continuation[];
}

export interface Continuation {
  readonly operator: "|" | "&&" | "||";
  readonly statements: readonly SyntaxNode[];
}

const redirectionTypes = ["file_redirect", "herestring_redirect", "heredoc_redirect"];

export function isRedirection(node: SyntaxNode): boolean {
  return redirectionTypes.includes(node.type);
}

export function tailOf(nodes: readonly SyntaxNode[], outer?: Tail | undefined): Tail {
  const redirections: SyntaxNode[] = [];
  const words: SyntaxNode[] = [];
  const continuations: Continuation[] = [];
  const take = (node: SyntaxNode): void => {
    redirections.push(node);
    if (node.type === "file_redirect") words.push(...targetNodes(node).slice(1));
    if (node.type !== "heredoc_redirect") return;
    let operator: Continuation["operator"] = "&&";
    for (const child of node.children) {
      if (isRedirection(child)) take(child);
      else if (child.field === "argument") words.push(child);
      else if (child.type === "pipeline") {
        continuations.push({ operator: "|", statements: namedChildren(child) });
      } else if (child.type === "&&" || child.type === "||") operator = child.type;
      else if (child.field === "right") continuations.push({ operator, statements: [child] });
    }
  };
  for (const node of nodes) take(node);
  return {
    redirections: [...redirections, ...(outer?.redirections ?? [])],
    words: [...words, ...(outer?.words ?? [])],
    continuations: [...continuations, ...(outer?.continuations ?? [])],
  };
}

export interface ReadRedirections {
  readonly files: readonly Redirection[];
  /** What is known of the input that they give. */
  readonly stdin: string | undefined;
  /** Standard output goes to a file. */
  readonly takesOutput: boolean;
}

export function readRedirections(nodes: readonly SyntaxNode[], scene: Scene): ReadRedirections {
  const files: Redirection[] = [];
  let stdin: string | undefined;
  let takesOutput = false;
  for (const node of nodes) {
    if (node.type === "herestring_redirect") {
      stdin = `${expandValue(namedChildren(node), scene)[0] ?? ""}\n`;
    } else if (node.type === "heredoc_redirect") {
      stdin = hereDocument(node, scene);
    } else {
      const operator = node.children.find((child) => !child.named)?.type ?? "";
      const [target] = targetNodes(node);
      const targets = target === undefined ? [] : expandWord([target], scene).flat();
      files.push({ operator, targets });
      const toDescriptor = operator.endsWith("&") && /^\d*-?$/.test(targets[0] ?? "");
      if (operator.startsWith("<")) stdin = scene.reader.fileText(targets[0] ?? "", scene.stdin) ?? unknown;
      else if (!toDescriptor && !isErrorOnly(node)) takesOutput = true;
    }
  }
  return { files, stdin, takesOutput };
}

function targetNodes(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.filter((child) => child.field === "destination");
}

function isErrorOnly(node: SyntaxNode): boolean {
  const descriptor = node.children.find((child) => child.type === "file_descriptor");
  return descriptor !== undefined && textOf(descriptor) !== "1";
}

function hereDocument(node: SyntaxNode, scene: Scene): string {
  const start = node.children.find((child) => child.type === "heredoc_start");
  const body = node.children.find((child) => child.type === "heredoc_body");
  if (body === undefined) return "";
  const isLiteral = start !== undefined && /["'\\]/.test(textOf(start));
  // The grammar sees no backquotes in here-documents.
  const backquoted = isLiteral ? [] : textOf(body).matchAll(/`((?:[^`\\]|\\[\s\S])*)`/g);
  for (const [, source = ""] of backquoted) scene.reader.outputOfText(source, scene.state);
  const text = isLiteral ? textOf(body) : (expandText(body, scene)[0] ?? "");
  const isIndented = node.children.some((child) => child.type === "<<-");
  return plainText(isIndented ? text.replace(/^\t+/gm, "") : text);
}
