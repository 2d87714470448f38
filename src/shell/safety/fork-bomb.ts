/** Functions that start themselves until the machine has no processes left. Recursion that can end is not meant. */

import type { Compound, Item, List, Statement } from "./syntax.ts";

export function isForkBomb({ name, bodies }: Compound): boolean {
  const body = bodies.flat();
  const all = everything(body);
  // `f | f`: nothing useful looks like this.
  if (all.some(({ parts }) => parts.filter((part) => calls(part, name)).length > 1)) return true;
  // In the background, a function that can leave is an ordinary recursion.
  const leaves = all.some(({ parts }) => parts.some((part) => /^(?:return|exit)$/.test(commandName(part))));
  return !leaves && startsItself(body, name);
}

/** With what is inside, however deep. */
function everything(list: List): readonly Item[] {
  return list.flatMap((item) => [item, ...item.parts.flatMap((part) => everything(insideOf(part)))]);
}

function insideOf(statement: Statement): List {
  return statement.kind === "command" ? [] : [statement.first, ...statement.bodies].flat();
}

/** `f &` that is reached without any condition. */
function startsItself(list: List, name: string): boolean {
  return list.some(
    ({ parts, isBackground, operator }) =>
      (isBackground && parts.some((part) => calls(part, name))) ||
      (!/^(?:&&|\|\|)$/.test(operator) &&
        parts.some((part) => isCertain(part) && startsItself(insideOf(part), name))),
  );
}

/** A group, or `while true`. */
function isCertain(statement: Statement): boolean {
  const [condition] = statement.kind === "loop" ? (statement.first[0]?.parts ?? []) : [];
  return isGroup(statement) || (condition !== undefined && /^(?:true|:)$/.test(commandName(condition)));
}

/** The statement is a call of the function, perhaps in braces. */
function calls(statement: Statement, name: string): boolean {
  const inside = isGroup(statement) ? insideOf(statement) : [];
  return (
    commandName(statement) === name || inside.some(({ parts }) => parts.some((part) => calls(part, name)))
  );
}

function isGroup({ kind }: Statement): boolean {
  return kind === "group" || kind === "subshell";
}

function commandName(statement: Statement): string {
  return statement.kind === "command" ? (statement.words[0]?.text ?? "") : "";
}
