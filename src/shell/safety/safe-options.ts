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

export function optionList(letters: string, valued: string, names = ""): OptionList {
  return { letters, valued, names: new Set(names.split(/\s+/)) };
}

/**
 * The words that are no options, where all others are on the list; undefined where one is not, or could be anything. Which option takes
 * the next word makes no difference: no word that starts with a dash gets past.
 */
export function operandsOf(words: readonly Word[], list: OptionList): Word[] | undefined {
  const operands: Word[] = [];
  for (const [index, word] of words.entries()) {
    if (word.kind === "literal" && word.text === "--") return [...operands, ...words.slice(index + 1)];
    if (isOperand(word) || (word.kind === "literal" && word.text === "-")) operands.push(word);
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
