/** The command line of `find`: where it starts, whether it takes everything it meets, what it runs. */

import { anyText } from "./word-value.ts";

export interface FindCommand {
  readonly words: readonly string[];
  /** `-execdir`: runs where the file is. */
  readonly inPlace: boolean;
}

export interface FindActions {
  readonly starts: readonly string[];
  readonly commands: readonly FindCommand[];
  readonly deletes: boolean;
}

const runs = ["-exec", "-execdir", "-ok", "-okdir"];

export function findActions(argv: readonly string[]): FindActions {
  const { starts, expression } = findParts(argv);
  const commands: FindCommand[] = [];
  for (let at = 0; at < expression.length; at += 1) {
    const word = expression[at] ?? "";
    if (!runs.includes(word)) continue;
    const end = endOfCommand(expression, at + 1);
    commands.push({ words: expression.slice(at + 1, end), inPlace: word.endsWith("dir") });
    at = end;
  }
  return { starts, commands, deletes: expression.includes("-delete") };
}

/** Tests that let only some files through; `-type`, `-maxdepth` and their like do not make a search harmless. */
const choosy =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|[acm](time|min|newer)|newer\w*|size|empty|user|group|uid|gid|nouser|nogroup|perm|inum|samefile|links|used|fstype|executable|readable|writable)$/;

export function searchesEverything(argv: readonly string[]): boolean {
  const { expression } = findParts(argv);
  return !expression.some((word, at) => {
    if (!choosy.test(word)) return false;
    const isNegated = ["!", "-not"].includes(expression[at - 1] ?? "");
    const value = (expression[at + 1] ?? "").replaceAll(anyText, "*");
    return !isNegated && value !== "*";
  });
}

function findParts(argv: readonly string[]) {
  let at = 1;
  while (/^-([HLP]|O\d*|D)$/.test(argv[at] ?? "")) at += argv[at] === "-D" ? 2 : 1;
  const start = at;
  while (at < argv.length && !/^(-.|[(!,)]$)/.test(argv[at] ?? "")) at += 1;
  const starts = argv.slice(start, at);
  return { starts: starts.length === 0 ? ["."] : starts, expression: argv.slice(at) };
}

function endOfCommand(expression: readonly string[], from: number): number {
  for (let at = from; at < expression.length; at += 1) {
    const word = expression[at];
    if (word === ";" || (word === "+" && expression[at - 1] === "{}")) return at;
  }
  return expression.length;
}
