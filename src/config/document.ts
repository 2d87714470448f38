/**
 * Parses the text of one settings file, JSON with comments and trailing commas, into a checked value. Every problem has its
 * line and column. Reads no file. Loads zod and jsonc-parser.
 */

import { getNodePath, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError, type ConfigErrorParts, type FilePosition, positionText, quoted } from "./errors.ts";
import { unknownKeyError } from "./keys.ts";
import { describeInvalidValue, describeUnknownField } from "./problems.ts";
import { settingsFileSchema } from "./schema.ts";

export interface SettingsDocument {
  readonly value: UnknownRecord;
  /** In file order. */
  readonly problems: readonly ConfigError[];
}

/** Throws ConfigError when the text is not JSON; problems with its content are returned in `problems`. */
export function parseDocument(text: string, file: string): SettingsDocument {
  const errors: ParseError[] = [];
  const root = treeOf(text, errors, file);
  const positionOf = ({ offset }: { readonly offset: number }) => positionAt(text, offset, file);
  const [error] = errors;
  if (error !== undefined) {
    const words = printParseErrorCode(error.error).replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
    throw errorAt(positionOf(error), { kind: "syntax-error", issue: words.toLowerCase() });
  }
  // The file is empty, or has comments only.
  if (root === undefined) return { value: {}, problems: [] };

  const problems = findDuplicates(root).map((property) => {
    const path = getNodePath(property.children?.[0] ?? property);
    const key = path.filter((part) => typeof part === "string").join(".");
    return errorAt(positionOf(property), {
      kind: "duplicate-key",
      key,
      issue: `duplicate key ${quoted(key)}`,
    });
  });
  const value = nodeValue(root);
  for (const issue of settingsFileSchema.safeParse(value).error?.issues ?? []) {
    const node = nodeAt(root, issue.path);
    if (issue.code === "unrecognized_keys") {
      problems.push(
        ...issue.keys.map((name) =>
          unknownError(issue.path, name, positionOf(propertyOf(node, name) ?? node)),
        ),
      );
    } else {
      const key = issue.path.filter((part) => typeof part === "string").join(".");
      const words = describeInvalidValue(issue.path, value);
      problems.push(errorAt(positionOf(node), { kind: "invalid-value", key, issue: words }));
    }
  }
  problems.sort(byPosition);
  return { value: asRecord(value), problems };
}

function treeOf(text: string, errors: ParseError[], file: string): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    // The parser calls itself for every level.
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError({ kind: "syntax-error", issue: `${file} is nested too deeply`, cause: error });
  }
}

/** As `parseDocument`, but throws the first problem. */
export function readDocument(text: string, file: string): UnknownRecord {
  const { value, problems } = parseDocument(text, file);
  const [first] = problems;
  if (first !== undefined) throw first;
  return value;
}

function errorAt(
  position: FilePosition,
  { issue, ...parts }: Omit<ConfigErrorParts, "position">,
): ConfigError {
  return new ConfigError({ ...parts, position, issue: `${issue} at ${positionText(position)}` });
}

function unknownError(path: readonly PropertyKey[], name: string, position: FilePosition): ConfigError {
  const key = [...path, name].join(".");
  if (!path.some((part) => typeof part === "number")) return unknownKeyError(key, { position });
  const issue = describeUnknownField(path, name, position);
  return new ConfigError({ kind: "unknown-key", key, position, issue });
}

function byPosition({ position: a }: ConfigError, { position: b }: ConfigError): number {
  if (a === undefined || b === undefined) return 0;
  return a.line - b.line || a.column - b.column;
}

/** Of two equal keys one would be ignored silently, and `omp config set` might write to that one. */
function findDuplicates(node: Node): Node[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== "property") return findDuplicates(child);
    const [key, value] = child.children ?? [];
    const isDuplicate = seen.has(key?.value);
    seen.add(key?.value);
    return [...(isDuplicate ? [child] : []), ...(value === undefined ? [] : findDuplicates(value))];
  });
}

/** The node that a path leads to, or the last one on the way. */
function nodeAt(root: Node, path: readonly PropertyKey[]): Node {
  let node = root;
  for (const part of path) {
    const next =
      typeof part === "number" ? node.children?.[part] : propertyOf(node, String(part))?.children?.[1];
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/** The last property of that name, whose value is the one that counts. */
export function propertyOf(node: Node, name: string): Node | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === name);
}

/** Unlike jsonc-parser's own function, treats `__proto__` as a key like any other, so that it is reported as unknown. */
function nodeValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(nodeValue);
  if (node.type !== "object") return node.value;
  const value: UnknownRecord = Object.create(null);
  for (const { children: [key, inner] = [] } of node.children ?? []) {
    if (key !== undefined && inner !== undefined) value[key.value] = nodeValue(inner);
  }
  return value;
}

function positionAt(text: string, offset: number, file: string): FilePosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { file, line: before.split("\n").length, column: offset - lineStart + 1 };
}
