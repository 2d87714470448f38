/** Simple commands and assignments: from syntax to the fields that would be run. */

import { expandValue, expandWord } from "./expand-word.ts";
import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import { isRedirection, readRedirections, tailOf } from "./redirections.ts";
import type { ScriptReader } from "./script-reader.ts";
import type { ShellState } from "./shell-state.ts";
import type { Surroundings } from "./statements.ts";
import { unknown } from "./word-value.ts";

/** A name that may be several commands is followed for this many of them. */
const nameLimit = 4;
const fieldLimit = 2000;

export function readCommand(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  surroundings: Surroundings,
): string {
  const { parent } = surroundings;
  const scripts = reader.substitutions(surroundings);
  const own = node.type === "command" ? node.children : [];
  const tail = tailOf(own.filter(isRedirection), surroundings.tail);
  const assignments = own.filter((child) => child.type === "variable_assignment");
  const [name, ...args] = words([...own.filter(isWord), ...tail.words]);
  const fields = args.flatMap((word) => expandWord(word, state, scripts).flat()).slice(0, fieldLimit);
  const names = name === undefined ? [[]] : commandNames(expandWord(name, state, scripts), name);
  const redirections = readRedirections(tail.redirections, state, scripts, (path) =>
    reader.fileText(path, surroundings.stdin),
  );
  const stdin = redirections.stdin ?? surroundings.stdin;

  // Assignments before a command last as long as it does.
  const restore = state.remember(assignments.map(assignedName));
  for (const assignment of assignments) readAssignment(reader, assignment, state, surroundings);

  let output = "";
  for (const alternative of names) {
    output = reader.run([...alternative, ...fields], state, {
      stdin,
      parent,
      redirections: redirections.files,
      source: textOf(node),
    });
  }
  if (name !== undefined) restore();
  // `time (…)`: the grammar makes the group a part of the command.
  for (const child of own.filter((part) => part.type === "subshell")) {
    output = reader.statement(child, state, { stdin, parent });
  }
  return redirections.takesOutput ? "" : output;
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

export function readAssignment(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  surroundings: Surroundings,
): void {
  const scripts = reader.substitutions(surroundings);
  const name = assignedName(node);
  const value = node.children.find((child) => child.field === "value");
  const values =
    value === undefined
      ? [""]
      : value.type === "array"
        ? namedChildren(value).flatMap((item) => expandWord([item], state, scripts).flat())
        : expandValue([value], state, scripts);
  const isAddition = node.children.some((child) => child.type === "+=");
  if (!isAddition) reader.assign(state, name, values);
  else if (value?.type === "array") reader.assign(state, name, [...state.values(name), ...values]);
  else
    reader.assign(
      state,
      name,
      state.values(name).flatMap((old) => values.map((each) => old + each)),
    );
}

/** `export A=b`, `local x`, `A=1 B=2`, `unset A`. */
export function readDeclaration(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  surroundings: Surroundings,
): string {
  const scripts = reader.substitutions(surroundings);
  for (const child of namedChildren(node)) {
    if (child.type === "variable_assignment") readAssignment(reader, child, state, surroundings);
    else if (node.type === "unset_command") {
      if (child.type === "variable_name") reader.assign(state, textOf(child), [""]);
    } else if (child.type !== "variable_name") {
      // `export "$name=$value"`
      for (const text of expandValue([child], state, scripts)) {
        const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
        if (name !== undefined && value !== undefined) reader.assign(state, name, [value]);
        // `export $(cat .env)`
        else if (text.includes(unknown)) state.isOpen = true;
      }
    }
  }
  return "";
}
