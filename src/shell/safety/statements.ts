/** Walks statements: sequences, lists, pipelines, branches, loops, functions. Every branch is taken, then what is known is joined. */

import { expandValue, expandWord, visitScripts } from "./expand-word.ts";
import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import type { ReadCommand } from "./reading.ts";
import { isRedirection, readRedirections, type Tail, tailOf } from "./redirections.ts";
import type { ScriptReader } from "./script-reader.ts";
import type { ShellState } from "./shell-state.ts";
import { readAssignment, readCommand, readDeclaration } from "./simple-commands.ts";
import { unknown } from "./word-value.ts";

/** What a statement runs with. */
export interface Surroundings {
  /** What is known of its input. */
  readonly stdin?: string | undefined;
  /** The command that runs it. */
  readonly parent?: ReadCommand | undefined;
  /** What belongs to its last command. */
  readonly tail?: Tail | undefined;
}

type Read = (reader: ScriptReader, node: SyntaxNode, state: ShellState, surroundings: Surroundings) => string;

/** Gives what the statement prints, as far as it is known. */
export const readStatement: Read = (reader, node, state, surroundings) => {
  const read = single[node.type];
  if (read !== undefined) return read(reader, node, state, surroundings);
  const inner = intoGroup(reader, node, state, surroundings);
  return (compound[node.type] ?? sequence)(reader, node, state, inner);
};

const sequence: Read = (reader, node, state, surroundings) =>
  readSequence(reader, node.children, state, surroundings);

/** One after the other, in the same shell. */
export function readSequence(
  reader: ScriptReader,
  nodes: readonly SyntaxNode[],
  state: ShellState,
  surroundings: Surroundings,
): string {
  const statements = nodes.filter((node) => node.named && !isRedirection(node));
  return statements.map((statement) => reader.statement(statement, state, surroundings)).join("");
}

const visit: Read = (reader, node, state, surroundings) => {
  visitScripts(node, state, reader.substitutions(surroundings));
  return "";
};

/** Statements that hand what follows them to the command at their end. */
const single: Readonly<Record<string, Read>> = {
  comment: () => "",
  command: readCommand,
  variable_assignment: (reader, node, state, surroundings) => {
    readAssignment(reader, node, state, surroundings);
    return "";
  },
  variable_assignments: readDeclaration,
  declaration_command: readDeclaration,
  unset_command: readDeclaration,
  negated_command: (reader, node, state, surroundings) =>
    namedChildren(node)
      .map((child) => reader.statement(child, state, surroundings))
      .join(""),
  list,
  pipeline,
  redirected_statement: redirected,
};

const compound: Readonly<Record<string, Read>> = {
  subshell: (reader, node, state, surroundings) => sequence(reader, node, state.fork(), surroundings),
  compound_statement: (reader, node, state, surroundings) =>
    (node.children[0]?.type === "((" ? visit : sequence)(reader, node, state, surroundings),
  if_statement: choice,
  case_statement: choice,
  while_statement: loop,
  c_style_for_statement: loop,
  for_statement: (reader, node, state, surroundings) => {
    const variable = node.children.find((child) => child.field === "variable");
    const items = node.children.filter((child) => child.field === "value");
    const scripts = reader.substitutions(surroundings);
    const fields = items.flatMap((item) => expandWord([item], state, scripts).flat());
    const values = items.length === 0 ? state.values("@") : fields;
    if (variable !== undefined) reader.assign(state, textOf(variable), values);
    return loop(reader, node, state, surroundings);
  },
  function_definition: (reader, node, state, surroundings) => {
    const name = node.children.find((child) => child.field === "name");
    const body = node.children.find((child) => child.field === "body");
    if (name === undefined || body === undefined) return "";
    reader.define(state, textOf(name), body, textOf(node));
    // It may be called by a command that comes later.
    const caller = state.fork();
    caller.positional = undefined;
    reader.statement(body, caller, { parent: surroundings.parent });
    return "";
  },
  test_command: visit,
  // Parts that are words, where a statement was expected: only the scripts inside them run.
  word: visit,
  string: visit,
  concatenation: visit,
  expansion: visit,
  command_substitution: (reader, node, state, surroundings) => {
    reader.substitutions(surroundings).outputOf(node, state);
    return "";
  },
};

/** Redirections around a group: noted as a command of no words; the group reads what they feed it. */
function intoGroup(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  { tail, stdin, parent }: Surroundings,
): Surroundings {
  const nodes = [...node.children.filter(isRedirection), ...(tail?.redirections ?? [])];
  if (nodes.length === 0) return { stdin, parent };
  const scripts = reader.substitutions({ parent });
  const read = readRedirections(nodes, state, scripts, (path) => reader.fileText(path, stdin));
  if (read.files.length > 0)
    reader.run([], state, { redirections: read.files, parent, source: textOf(node) });
  return { stdin: read.stdin ?? stdin, parent };
}

function redirected(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  surroundings: Surroundings,
): string {
  const { continuations, ...own } = tailOf(node.children.filter(isRedirection), surroundings.tail);
  const body = node.children.find((child) => child.field === "body");
  const tail = { ...own, continuations: [] };
  let output =
    body === undefined
      ? readCommand(reader, node, state, { ...surroundings, tail })
      : reader.statement(body, state, { ...surroundings, tail });
  for (const { operator, statements } of continuations) {
    for (const statement of statements) {
      const inPipe = operator === "|";
      const stdin = inPipe ? output : surroundings.stdin;
      const next = { parent: surroundings.parent, stdin };
      output = reader.statement(statement, inPipe ? state.fork() : state, next);
    }
  }
  return output;
}

/** `a && b || c`: taken as if all of them ran. */
function list(reader: ScriptReader, node: SyntaxNode, state: ShellState, surroundings: Surroundings): string {
  // The grammar nests to the left, as deeply as the list is long.
  const items: SyntaxNode[] = [];
  let rest = node;
  while (rest.type === "list") {
    items.unshift(...rest.children.slice(1));
    const [first] = rest.children;
    if (first === undefined) break;
    rest = first;
  }
  items.unshift(rest);
  let output = "";
  let operator = "";
  for (const [index, item] of items.entries()) {
    if (!item.named) {
      operator = item.type;
      continue;
    }
    const { tail, ...others } = surroundings;
    const around = index === items.length - 1 ? surroundings : others;
    if (operator === "||") {
      const otherwise = state.fork();
      output += reader.statement(item, otherwise, around);
      if (!leaves(item)) state.join([otherwise]);
    } else output += reader.statement(item, state, around);
  }
  return output;
}

/** `|| exit`, `|| { echo no; return 1; }`: what follows happens only on the other way. */
function leaves(node: SyntaxNode): boolean {
  const last = namedChildren(node).at(-1);
  if (node.type === "compound_statement") return last !== undefined && leaves(last);
  return node.type === "command" && /^(exit|return|break|continue)\b/.test(textOf(node));
}

function pipeline(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  { tail, stdin, parent }: Surroundings,
): string {
  const statements = namedChildren(node).filter((child) => child.type !== "comment");
  let output = stdin;
  for (const [index, statement] of statements.entries()) {
    const isLast = index === statements.length - 1;
    output = reader.statement(statement, state.fork(), {
      parent,
      stdin: output,
      ...(isLast ? { tail } : {}),
    });
  }
  return output ?? "";
}

const branchTypes = ["elif_clause", "else_clause", "case_item"];

/** The condition, or the word, and every branch, each from the same start. */
function choice(
  reader: ScriptReader,
  node: SyntaxNode,
  state: ShellState,
  surroundings: Surroundings,
): string {
  const children = node.children.filter((child) => child.named && !isRedirection(child));
  const conditions = children.filter((child) => child.field === "condition");
  let output = readSequence(reader, conditions, state, surroundings);
  const scripts = reader.substitutions(surroundings);
  for (const child of children.filter(({ field }) => field === "value")) expandValue([child], state, scripts);

  const branches = [
    children.filter((child) => child.field === undefined && !branchTypes.includes(child.type)),
    ...children
      .filter((child) => branchTypes.includes(child.type))
      .map((child) => child.children.filter((part) => part.named && part.field !== "value")),
  ];
  const ends = branches.map((branch) => {
    const end = state.fork();
    output += readSequence(reader, branch, end, surroundings);
    return end;
  });
  state.join(ends);
  return output;
}

function loop(reader: ScriptReader, node: SyntaxNode, state: ShellState, surroundings: Surroundings): string {
  const conditions = node.children.filter((child) => child.field === "condition" && child.named);
  if (node.type === "c_style_for_statement") visit(reader, node, state, surroundings);
  else readSequence(reader, conditions, state, surroundings);
  const bodies = node.children.filter((child) => child.field === "body");
  const around = state.fork();
  const output = readSequence(reader, bodies, around, surroundings);
  state.join([around]);
  return output === "" ? "" : `${output}${unknown}\n`;
}
