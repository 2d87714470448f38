/**
 * One settings file's text: from JSON with comments and trailing commas to a checked value, with every problem placed at
 * its line and column. Reads no file. Loads zod and jsonc-parser.
 */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type * as z from "zod";
import { ConfigError, type FilePosition, positionText, quoted } from "./errors.ts";
import { isInsideItem, itemProblem, unknownField } from "./item-problem.ts";
import { settingKeys, unknownKey } from "./keys.ts";
import { settingsFileSchema } from "./schema.ts";

export type PlainObject = { [key: string]: unknown };

export interface SettingsDocument {
  /** Absent for a file without any value: empty, or comments only. */
  readonly root: Node | undefined;
  readonly value: PlainObject;
  /** In the order in which they stand in the file. */
  readonly problems: readonly ConfigError[];
}

/** Throws ConfigError when the text is not JSON at all; what is wrong with its content is in `problems`. */
export function parseDocument(text: string, file: string): SettingsDocument {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined) {
    const position = positionAt(text, error.offset, file);
    const words = printParseErrorCode(error.error).replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
    throw new ConfigError({
      kind: "syntax",
      position,
      issue: `${words.toLowerCase()} at ${positionText(position)}`,
    });
  }
  if (root === undefined) return { root, value: {}, problems: [] };

  const placed: Placed[] = duplicates(root).map((property) => placeDuplicate(property, text, file));
  const value = nodeValue(root);
  const checked = settingsFileSchema.safeParse(value);
  if (!checked.success) {
    placed.push(...checked.error.issues.flatMap((issue) => placeIssue(issue, root, text, file)));
  }
  placed.sort((a, b) => a.offset - b.offset);
  return {
    root,
    value: isPlainObject(value) ? value : {},
    problems: placed.map(({ problem }) => problem),
  };
}

/** The same with the first problem thrown. */
export function readDocument(text: string, file: string): PlainObject {
  const { value, problems } = parseDocument(text, file);
  const [first] = problems;
  if (first !== undefined) throw first;
  return value;
}

/** An error line's words for a value that a setting cannot have. */
export function invalidValue(key: string, value: unknown, inList: boolean): string {
  const setting = settingKeys().find((candidate) => candidate.key === key);
  const expected = (inList ? setting?.expectedItem : setting?.expected) ?? "an object";
  // What people put in the wrong place among the gateways may be a token.
  const found = key === "gateways" ? "" : `, not ${shortened(value)}`;
  return `${inList ? "each item of " : ""}${quoted(key)} must be ${expected}${found}`;
}

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Placed {
  readonly offset: number;
  readonly problem: ConfigError;
}

function placeIssue(issue: z.core.$ZodIssue, root: Node, text: string, file: string): Placed[] {
  if (issue.code === "unrecognized_keys") {
    const parent = nodeAt(root, issue.path);
    return issue.keys.map((name) => {
      const offset = propertyOf(parent, name)?.offset ?? parent.offset;
      const position = positionAt(text, offset, file);
      const key = [...issue.path, name].join(".");
      if (issue.path.some((part) => typeof part === "number")) {
        const words = `${unknownField(issue.path, name)} at ${positionText(position)}`;
        return { offset, problem: new ConfigError({ kind: "unknown-key", key, position, issue: words }) };
      }
      return { offset, problem: unknownKey(key, { at: positionText(position), position }) };
    });
  }
  const node = nodeAt(root, issue.path);
  const position = positionAt(text, node.offset, file);
  const names = issue.path.filter((part) => typeof part === "string");
  const key = names.join(".");
  const words =
    key === ""
      ? `the file must hold an object, not ${shortened(nodeValue(node))}`
      : isInsideItem(issue.path)
        ? itemProblem(issue.path, { isMissing: node === nodeAt(root, issue.path.slice(0, -1)) })
        : invalidValue(key, nodeValue(node), names.length < issue.path.length);
  return [
    {
      offset: node.offset,
      problem: new ConfigError({
        kind: "invalid-value",
        key,
        position,
        issue: `${words} at ${positionText(position)}`,
      }),
    },
  ];
}

/** Of two equal keys one would be lost without a word, and `omp config set` might write to that one. */
function duplicates(node: Node): Node[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== "property") return duplicates(child);
    const [key, value] = child.children ?? [];
    const again = seen.has(key?.value);
    seen.add(key?.value);
    return [...(again ? [child] : []), ...(value === undefined ? [] : duplicates(value))];
  });
}

function placeDuplicate(property: Node, text: string, file: string): Placed {
  const names: string[] = [];
  for (let node: Node | undefined = property; node !== undefined; node = node.parent) {
    if (node.type === "property") names.unshift(String(node.children?.[0]?.value));
  }
  const key = names.join(".");
  const position = positionAt(text, property.offset, file);
  return {
    offset: property.offset,
    problem: new ConfigError({
      kind: "duplicate-key",
      key,
      position,
      issue: `${quoted(key)} stands a second time at ${positionText(position)}`,
    }),
  };
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

/** The last property of that name: the one whose value counts. */
export function propertyOf(node: Node, name: string): Node | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === name);
}

/** Unlike the parser's own: a key `__proto__` is a key like any other, and so is reported as unknown. */
function nodeValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(nodeValue);
  if (node.type !== "object") return node.value;
  const value: PlainObject = Object.create(null);
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

function shortened(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 40 ? `${json.slice(0, 39)}…` : json;
}
