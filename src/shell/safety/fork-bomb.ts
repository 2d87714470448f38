/** Functions that start themselves until the machine has no processes left. Recursion that can end is not meant. */

import type { Compound, Item, List, Statement } from "./syntax.ts";

export function isForkBomb({ name, bodies }: Compound): boolean {
  const [body = []] = bodies;
  if (feedsItself(name, body)) return true;
  // In the background, a function that can leave is an ordinary recursion.
  return !mentions(body, /^(?:return|exit)$/) && startsItself(name, body);
}

const insideOf = (statement: Statement): readonly Item[] =>
  statement.kind === "command" ? [] : [statement.first, ...statement.bodies].flat();

/** `f | f`: twice in one pipeline, wherever it stands; nothing useful looks like this. */
function feedsItself(name: string, list: List): boolean {
  return list.some(
    ({ parts }) =>
      parts.filter((part) => calls(name, part)).length >= 2 ||
      parts.some((part) => feedsItself(name, insideOf(part))),
  );
}

/** `f &` that is reached without any condition. */
function startsItself(name: string, list: List): boolean {
  return list.some(
    ({ parts, isBackground, operator }) =>
      (isBackground && parts.some((part) => calls(name, part))) ||
      (!/^(?:&&|\|\|)$/.test(operator) &&
        parts.some((part) => isCertain(part) && startsItself(name, insideOf(part)))),
  );
}

/** A group, or the body of `while true`. */
function isCertain(statement: Statement): boolean {
  if (statement.kind === "group" || statement.kind === "subshell") return true;
  const [condition] = statement.kind === "loop" ? statement.first : [];
  const [command] = condition?.parts ?? [];
  return command?.kind === "command" && /^(?:true|:)$/.test(command.words[0]?.text ?? "");
}

/** The statement is a call of the function, perhaps in braces. */
function calls(name: string, statement: Statement): boolean {
  if (statement.kind === "command") return statement.words[0]?.text === name;
  const isGroup = statement.kind === "group" || statement.kind === "subshell";
  return isGroup && insideOf(statement).some(({ parts }) => parts.some((part) => calls(name, part)));
}

function mentions(list: List, names: RegExp): boolean {
  return list.some(({ parts }) =>
    parts.some((part) =>
      part.kind === "command" ? names.test(part.words[0]?.text ?? "") : mentions(insideOf(part), names),
    ),
  );
}
