/**
 * Bash source to a plain syntax tree. Owns the WASM: loaded with the first command, then kept. Everything is bounded: a
 * source that takes too long, is too large or nests too deeply gives no tree, and the caller falls back to its text.
 */

import { resolve } from "node:path";
import bashPath from "tree-sitter-bash/tree-sitter-bash.wasm" with { type: "file" };
import type { Parser, TreeCursor } from "web-tree-sitter";
import runtimePath from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" };

export interface SyntaxNode {
  readonly type: string;
  readonly named: boolean;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
  readonly source: string;
}

export interface ParsedSource {
  readonly root: SyntaxNode;
  /** False where the grammar did not understand a part; the tree holds what it did understand. */
  readonly complete: boolean;
}

export type ParseSource = (source: string) => ParsedSource | undefined;

const parseLimitMs = 1000;
const nodeLimit = 150_000;
const depthLimit = 400;

let loading: Promise<ParseSource> | undefined;

/** The parser; the same one for everybody, loaded once. A load that failed is tried again by the next caller. */
export function loadParser(): Promise<ParseSource> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ParseSource> {
  // The grammar, which is the larger part, compiles while the runtime starts.
  const compiled = compiledGrammar();
  const [{ Parser, Language }, runtime] = await Promise.all([
    import("web-tree-sitter"),
    Bun.file(onDisk(runtimePath)).bytes(),
  ]);
  const started = Parser.init({ wasmBinary: runtime });
  const [grammar] = await Promise.all([compiled, started]);
  const parser = new Parser();
  parser.setLanguage(Language.loadSync(grammar));
  return (source) => parse(parser, source);
}

async function compiledGrammar(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await Bun.file(onDisk(bashPath)).bytes());
}

/** A bundle names its assets relative to itself; sources and the compiled program have whole paths. */
function onDisk(path: string): string {
  return resolve(import.meta.dir, path);
}

function parse(parser: Parser, source: string): ParsedSource | undefined {
  const deadline = performance.now() + parseLimitMs;
  const tree = parser.parse(source, null, { progressCallback: () => performance.now() > deadline });
  if (tree === null) {
    // Else the next parse would go on with this one.
    parser.reset();
    return undefined;
  }
  const cursor = tree.walk();
  try {
    const root = plainTree(cursor, source);
    return root === undefined ? undefined : { root, complete: !tree.rootNode.hasError };
  } finally {
    cursor.delete();
    tree.delete();
  }
}

type Growing = SyntaxNode & { readonly children: SyntaxNode[] };

/** Copies the tree out of the WASM, without recursion; undefined when it is beyond the limits. */
function plainTree(cursor: TreeCursor, source: string): SyntaxNode | undefined {
  const root = plainNode(cursor, source);
  const path: Growing[] = [root];
  let count = 1;
  let goDown = true;
  while (path.length > 0) {
    if (goDown && cursor.gotoFirstChild()) {
      if (path.length >= depthLimit) return undefined;
    } else if (cursor.gotoNextSibling()) {
      path.pop();
    } else {
      path.pop();
      goDown = false;
      if (!cursor.gotoParent()) break;
      continue;
    }
    goDown = true;
    count += 1;
    if (count > nodeLimit) return undefined;
    const node = plainNode(cursor, source);
    path.at(-1)?.children.push(node);
    path.push(node);
  }
  return root;
}

function plainNode(cursor: TreeCursor, source: string): Growing {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName ?? undefined,
    start: cursor.startIndex,
    end: cursor.endIndex,
    children: [],
    source,
  };
}

export function textOf(node: Pick<SyntaxNode, "source" | "start" | "end">): string {
  return node.source.slice(node.start, node.end);
}

export function namedChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.filter((child) => child.named);
}
