/** Simple commands and assignments: from syntax to the fields that would be run. */

import { expandValue, expandWord } from "./expand-word.ts";
import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import { isRedirection, readRedirections, tailOf } from "./redirections.ts";
import type { Scene } from "./statements.ts";
import { unknown } from "./word-value.ts";

/** A name that may be several commands is followed for this many of them. */
const nameLimit = 4;
const fieldLimit = 2000;

export function readCommand(node: SyntaxNode, scene: Scene): string {
  const { reader, state } = scene;
  const own = node.type === "command" ? node.children : [];
  const tail = tailOf(own.filter(isRedirection), scene.tail);
  const assignments = own.filter((child) => child.type === "variable_assignment");
  const [name, ...args] = words([...own.filter(isWord), ...tail.words]);
  const fields = args.flatMap((word) => expandWord(word, scene).flat()).slice(0, fieldLimit);
  const names = name === undefined ? [[]] : commandNames(expandWord(name, scene), name);
  const { files, stdin = scene.stdin, takesOutput } = readRedirections(tail.redirections, scene);

  // Assignments before a command last as long as it does.
  const restore = state.remember(assignments.map(assignedName));
  for (const assignment of assignments) readAssignment(assignment, scene);

  let output = "";
  for (const alternative of names) {
    const start = { stdin, redirections: files, source: textOf(node) };
    output = reader.run([...alternative, ...fields], state, start);
  }
  if (name !== undefined) restore();
  // `time (…)`: the grammar makes the group a part of the command.
  for (const child of own.filter((part) => part.type === "subshell")) {
    output = reader.statement(child, { reader, state, stdin });
  }
  return takesOutput ? "" : output;
}

/** `"${words[@]}"` is the name and its arguments; any other value that may be several things is one of them. */
function commandNames(alternatives: string[][], name: readonly SyntaxNode[]): string[][] {
  const isWhole = name.some((node) => /\[[@*]\]|\$[@*]/.test(textOf(node)));
  return isWhole ? [alternatives.flat()] : alternatives.slice(0, nameLimit);
}

function isWord(node: SyntaxNode): boolean {
  return node.type === "command_name" || node.field === "argument";
}

/** Nodes that touch each other are one word; so are those with only a line continuation between them. */
function words(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const found: SyntaxNode[][] = [];
  let end: number | undefined;
  for (const node of nodes) {
    const parts = node.type === "command_name" ? node.children : [node];
    const gap = end === undefined ? undefined : node.source.slice(end, node.start);
    const touches = gap !== undefined && end !== undefined && node.start >= end && /^(\\\r?\n)*$/.test(gap);
    if (touches) found.at(-1)?.push(...parts);
    else found.push([...parts]);
    end = node.end;
  }
  return found;
}

function assignedName(node: SyntaxNode): string {
  const name = node.children.find((child) => child.field === "name");
  return name === undefined ? "" : textOf(name.type === "subscript" ? (name.children[0] ?? name) : name);
}

export function readAssignment(node: SyntaxNode, scene: Scene): string {
  const { reader, state } = scene;
  const name = assignedName(node);
  const value = node.children.find((child) => child.field === "value");
  const isArray = value?.type === "array";
  const values =
    value === undefined
      ? [""]
      : isArray
        ? namedChildren(value).flatMap((item) => expandWord([item], scene).flat())
        : expandValue([value], scene);
  const old = node.children.some((child) => child.type === "+=") ? state.values(name) : undefined;
  const all = isArray
    ? [...(old ?? []), ...values]
    : (old?.flatMap((before) => values.map((each) => before + each)) ?? values);
  reader.assign(state, name, all);
  return "";
}

/** `export A=b`, `local x`, `A=1 B=2`, `unset A`. */
export function readDeclaration(node: SyntaxNode, scene: Scene): string {
  const { reader, state } = scene;
  for (const child of namedChildren(node)) {
    if (child.type === "variable_assignment") readAssignment(child, scene);
    else if (node.type === "unset_command") {
      if (child.type === "variable_name") reader.assign(state, textOf(child), [""]);
    } else if (child.type !== "variable_name") {
      // `export "$name=$value"`
      for (const text of expandValue([child], scene)) {
        const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
        if (name !== undefined && value !== undefined) reader.assign(state, name, [value]);
        // `export $(cat .env)`
        else if (text.includes(unknown)) state.isOpen = true;
      }
    }
  }
  return "";
}
