/** The arguments of `find`: where it starts, whether it takes everything it meets, what it runs. */

import { anyText } from "./marks.ts";

export interface FindActions {
  readonly starts: readonly string[];
  readonly commands: readonly {
    readonly words: readonly string[] /** `-execdir`: runs where the file is. */;
    readonly inPlace: boolean;
  }[];
  readonly deletes: boolean;
  /** No test lets only some files through. */
  readonly takesAll: boolean;
}

/** `-type`, `-maxdepth` and their like do not make a search harmless. */
const CHOOSY =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|[acm](time|min|newer)|newer\w*|size|empty|user|group|uid|gid|nouser|nogroup|perm|inum|samefile|links|used|fstype|executable|readable|writable)$/;

export function findActions(args: readonly string[]): FindActions {
  let at = 0;
  while (/^-([HLP]|O\d*|D)$/.test(args[at] ?? "")) at += args[at] === "-D" ? 2 : 1;
  const first = args.findIndex((word, index) => index >= at && /^(-.|[(!,)]$)/.test(word));
  const starts = args.slice(at, first === -1 ? undefined : first);
  const expression = first === -1 ? [] : args.slice(first);
  const isChosen = expression.some((word, index) => {
    const isNegated = /^(?:!|-not)$/.test(expression[index - 1] ?? "");
    return CHOOSY.test(word) && !isNegated && (expression[index + 1] ?? "").replaceAll(anyText, "*") !== "*";
  });
  const commands = expression.flatMap((word, index) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) return [];
    const words = expression.slice(index + 1);
    const end = words.findIndex((each, place) => each === ";" || (each === "+" && words[place - 1] === "{}"));
    return [{ words: end === -1 ? words : words.slice(0, end), inPlace: word.endsWith("dir") }];
  });
  const deletes = expression.includes("-delete");
  return { starts: starts.length === 0 ? ["."] : starts, commands, deletes, takesAll: !isChosen };
}
