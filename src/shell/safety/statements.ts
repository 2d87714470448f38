/** Walks statements: sequences, lists, pipelines, branches, loops, functions. Every branch is taken, then what is known is joined. */

import { expandValue, expandWord, visitScripts } from "./expand-word.ts";
import { namedChildren, type SyntaxNode, textOf } from "./parser.ts";
import { isRedirection, readRedirections, type Tail, tailOf } from "./redirections.ts";
import type { ScriptReader } from "./script-reader.ts";
import type { ShellState } from "./shell-state.ts";
import { readAssignment, readCommand, readDeclaration } from "./simple-commands.ts";
import { unknown } from "./word-value.ts";

/** What a statement is read with. */
export interface Scene {
  readonly reader: ScriptReader;
  readonly state: ShellState;
  /** What is known of its input. */
  readonly stdin?: string | undefined;
  /** What belongs to its last command. */
  readonly tail?: Tail | undefined;
}

/** Gives what the statement prints, as far as it is known. */
type Read = (node: SyntaxNode, scene: Scene) => string;

export const readStatement: Read = (node, scene) => {
  const read = single[node.type];
  if (read !== undefined) return read(node, scene);
  return (compound[node.type] ?? sequence)(node, intoGroup(node, scene));
};

const sequence: Read = (node, scene) => readSequence(node.children, scene);

/** One after the other, in the same shell. */
export function readSequence(nodes: readonly SyntaxNode[], scene: Scene): string {
  const statements = nodes.filter((node) => node.named && !isRedirection(node));
  return statements.map((statement) => scene.reader.statement(statement, scene)).join("");
}

/** Only the scripts inside run. */
const visit: Read = (node, scene) => {
  visitScripts(node, scene);
  return "";
};

/** Statements that hand what follows them to the command at their end. */
const single: Readonly<Record<string, Read>> = {
  comment: () => "",
  command: readCommand,
  variable_assignment: readAssignment,
  variable_assignments: readDeclaration,
  declaration_command: readDeclaration,
  unset_command: readDeclaration,
  negated_command: (node, scene) =>
    namedChildren(node)
      .map((child) => scene.reader.statement(child, scene))
      .join(""),
  list,
  pipeline,
  redirected_statement: redirected,
};

const compound: Readonly<Record<string, Read>> = {
  subshell: (node, scene) => sequence(node, { ...scene, state: scene.state.fork() }),
  compound_statement: (node, scene) => (node.children[0]?.type === "((" ? visit : sequence)(node, scene),
  if_statement: choice,
  case_statement: choice,
  while_statement: loop,
  c_style_for_statement: loop,
  for_statement: (node, scene) => {
    const variable = node.children.find((child) => child.field === "variable");
    const items = node.children.filter((child) => child.field === "value");
    const fields = items.flatMap((item) => expandWord([item], scene).flat());
    const values = items.length === 0 ? scene.state.values("@") : fields;
    if (variable !== undefined) scene.reader.assign(scene.state, textOf(variable), values);
    return loop(node, scene);
  },
  function_definition: (node, { reader, state }) => {
    const name = node.children.find((child) => child.field === "name");
    const body = node.children.find((child) => child.field === "body");
    if (name === undefined || body === undefined) return "";
    reader.define(state, textOf(name), body, textOf(node));
    // It may be called by a command that comes later.
    const caller = state.fork();
    caller.positional = undefined;
    reader.statement(body, { reader, state: caller });
    return "";
  },
  test_command: visit,
  // Parts that are words, where a statement was expected.
  word: visit,
  string: visit,
  concatenation: visit,
  expansion: visit,
  command_substitution: (node, { reader, state }) => {
    reader.outputOf(node, state);
    return "";
  },
};

/** Redirections around a group: noted as a command of no words; the group reads what they feed it. */
function intoGroup(node: SyntaxNode, { tail, ...scene }: Scene): Scene {
  const nodes = [...node.children.filter(isRedirection), ...(tail?.redirections ?? [])];
  if (nodes.length === 0) return scene;
  const { files, stdin } = readRedirections(nodes, scene);
  if (files.length > 0) scene.reader.run([], scene.state, { redirections: files, source: textOf(node) });
  return { ...scene, stdin: stdin ?? scene.stdin };
}

function redirected(node: SyntaxNode, scene: Scene): string {
  const { continuations, ...own } = tailOf(node.children.filter(isRedirection), scene.tail);
  const { reader, state } = scene;
  const body = node.children.find((child) => child.field === "body");
  const inner = { ...scene, tail: { ...own, continuations: [] } };
  let output = body === undefined ? readCommand(node, inner) : reader.statement(body, inner);
  for (const { operator, statements } of continuations) {
    for (const statement of statements) {
      const next =
        operator === "|"
          ? { reader, state: state.fork(), stdin: output }
          : { reader, state, stdin: scene.stdin };
      output = reader.statement(statement, next);
    }
  }
  return output;
}

/** `a && b || c`: taken as if all of them ran. */
function list(node: SyntaxNode, { tail, ...scene }: Scene): string {
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
    const around = index === items.length - 1 ? { ...scene, tail } : scene;
    const state = operator === "||" ? scene.state.fork() : scene.state;
    output += scene.reader.statement(item, { ...around, state });
    if (operator === "||" && !leaves(item)) scene.state.join([state]);
  }
  return output;
}

/** `|| exit`, `|| { echo no; return 1; }`: what follows happens only on the other way. */
function leaves(node: SyntaxNode): boolean {
  const last = namedChildren(node).at(-1);
  if (node.type === "compound_statement") return last !== undefined && leaves(last);
  return node.type === "command" && /^(exit|return|break|continue)\b/.test(textOf(node));
}

function pipeline(node: SyntaxNode, { tail, reader, state, stdin }: Scene): string {
  const statements = namedChildren(node).filter((child) => child.type !== "comment");
  let output = stdin;
  for (const [index, statement] of statements.entries()) {
    const isLast = index === statements.length - 1;
    const scene = { reader, state: state.fork(), stdin: output };
    output = reader.statement(statement, isLast ? { ...scene, tail } : scene);
  }
  return output ?? "";
}

const branchTypes = ["elif_clause", "else_clause", "case_item"];

/** The condition, or the word, and every branch, each from the same start. */
function choice(node: SyntaxNode, scene: Scene): string {
  const { state } = scene;
  const children = node.children.filter((child) => child.named && !isRedirection(child));
  let output = readSequence(
    children.filter((child) => child.field === "condition"),
    scene,
  );
  for (const child of children.filter(({ field }) => field === "value")) expandValue([child], scene);
  const branches = [
    children.filter((child) => child.field === undefined && !branchTypes.includes(child.type)),
    ...children
      .filter((child) => branchTypes.includes(child.type))
      .map((child) => child.children.filter((part) => part.named && part.field !== "value")),
  ];
  const ends = branches.map((branch) => {
    const end = state.fork();
    output += readSequence(branch, { ...scene, state: end });
    return end;
  });
  state.join(ends);
  return output;
}

function loop(node: SyntaxNode, scene: Scene): string {
  const conditions = node.children.filter((child) => child.field === "condition" && child.named);
  if (node.type === "c_style_for_statement") visit(node, scene);
  else readSequence(conditions, scene);
  const bodies = node.children.filter((child) => child.field === "body");
  const around = scene.state.fork();
  const output = readSequence(bodies, { ...scene, state: around });
  scene.state.join([around]);
  return output === "" ? "" : `${output}${unknown}\n`;
}
