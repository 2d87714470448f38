/** Options by allow-list: every word that starts with a dash must be known, by its exact name. */

import { isOperand } from "./script-reader.ts";
import type { Word } from "./syntax.ts";

export interface OptionList {
  /** Letters, which may stand together: `-la`. */
  readonly letters: string;
  /** Letters that take what follows them as their value: `-k2`. */
  readonly valued: string;
  /** Whole words: `--reverse`, which may have a value after `=`, or `-name`. */
  readonly names: ReadonlySet<string>;
}

/**
 * A program a line, or several with the same options: `name,name letters:valued --name …`. What is indented goes on with the line before; `.` stands for no
 * letters at all.
 */
export function optionLists(table: string): ReadonlyMap<string, OptionList> {
  const lines = table.trim().split(/\n(?! )/);
  return new Map(
    lines.flatMap((line) => {
      const [programs = "", together = "", ...names] = line.split(/\s+/);
      const [letters = "", valued = ""] = together === "." ? [] : together.split(":");
      return programs.split(",").map((name) => [name, { letters, valued, names: new Set(names) }] as const);
    }),
  );
}

/**
 * The words that are no options, where all others are on the list; undefined where one is not or could be anything, and where there is no list. Which option takes
 * the next word makes no difference: no word that starts with a dash gets past. After `--` it does, but not where that may be an option's value itself, as in
 * `rg -e -- --pre=x`.
 */
export function operandsOf(words: readonly Word[], list: OptionList | undefined): Word[] | undefined {
  if (list === undefined) return undefined;
  const operands: Word[] = [];
  for (const [index, word] of words.entries()) {
    if (word.kind === "literal" && word.text === "--") {
      if (!mayTakeNext(literalText(words[index - 1]), list)) return [...operands, ...words.slice(index + 1)];
    } else if (isOperand(word) || (word.kind === "literal" && word.text === "-")) operands.push(word);
    else if (word.kind !== "literal" || !isKnownOption(word.text, list)) return undefined;
  }
  return operands;
}

function isKnownOption(text: string, { letters, valued, names }: OptionList): boolean {
  if (text.startsWith("--")) return names.has(text.replace(/=.*$/s, ""));
  if (names.has(text)) return true;
  for (const letter of text.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!letters.includes(letter)) return false;
  }
  return true;
}

/** All but letters without values, and what has its value. */
function mayTakeNext(text: string, { letters }: OptionList): boolean {
  return (
    text.startsWith("-") && !text.includes("=") && [...text.slice(1)].some((each) => !letters.includes(each))
  );
}

export function literalText(word: Word | undefined): string {
  return word?.kind === "literal" ? word.text : "";
}
