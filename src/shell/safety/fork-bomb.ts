/** Functions that start themselves until the machine has no processes left. Recursion that can end is not meant. */

import { type SyntaxNode, textOf } from "./parser.ts";

/** `name` is the function's, `body` what it runs. */
export function isForkBomb(name: string, body: SyntaxNode): boolean {
  if (feedsItself(name, body)) return true;
  // In the background, a function that can leave is an ordinary recursion.
  return !mentions(body, ["return", "exit"]) && startsItself(name, body);
}

/** `f | f`: twice in one pipeline, wherever it stands; nothing useful looks like this. */
function feedsItself(name: string, node: SyntaxNode): boolean {
  if (node.type === "pipeline" && node.children.filter((child) => calls(name, child)).length >= 2)
    return true;
  return node.children.some((child) => feedsItself(name, child));
}

/** `f &` that is reached without any condition. */
function startsItself(name: string, node: SyntaxNode): boolean {
  return node.children.some((child, index) => {
    const inBackground = node.children[index + 1]?.type === "&";
    if (inBackground && calls(name, child)) return true;
    return (unconditional.has(child.type) || isEndless(child)) && startsItself(name, child);
  });
}

/** `while true`, and the body of it. */
function isEndless(node: SyntaxNode): boolean {
  const condition = node.children.find((child) => child.field === "condition");
  const loops = node.type === "while_statement" && condition !== undefined;
  return node.type === "do_group" || (loops && /^(true|:)$/.test(textOf(condition)));
}

const unconditional = new Set(["compound_statement", "subshell", "pipeline", "redirected_statement"]);
const groups = new Set([...unconditional, "negated_command"]);

/** The node is a call of the function, perhaps in braces or with redirections. */
function calls(name: string, node: SyntaxNode): boolean {
  if (node.type !== "command")
    return groups.has(node.type) && node.children.some((child) => calls(name, child));
  const command = node.children.find((child) => child.type === "command_name");
  return command !== undefined && textOf(command) === name;
}

function mentions(node: SyntaxNode, commands: readonly string[]): boolean {
  return (
    commands.some((name) => calls(name, node)) || node.children.some((child) => mentions(child, commands))
  );
}
