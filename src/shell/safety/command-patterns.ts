/**
 * The patterns of `bash.allow` and `bash.deny`. In `bash.deny` they are the first words of a command: `git push` is every push. In
 * `bash.allow` they are all of its words, or the first ones where the pattern ends with `*`: `git push` is only that, `git push *`
 * every push. A `*` inside a word matches any characters. What a command does with its input is not in its words: one that is given any needs
 * the `*`.
 */

import type { FollowedCommand, Reading } from "./follow.ts";
import { unsafeCommands } from "./known-safe.ts";
import { plainText, unknown } from "./marks.ts";
import { programName } from "./options.ts";
import type { Script } from "./script-reader.ts";
import type { ShellPlace } from "./shell-state.ts";
import type { Command } from "./syntax.ts";

/** The deny pattern that some part of the command matches. */
export function deniedBy(reading: Reading, patterns: readonly string[]): string | undefined {
  return patterns.find(
    (pattern) =>
      reading.commands.some((command) => begins(command, pattern)) ||
      reading.unread.some((text) => textHolds(text, pattern)),
  );
}

/** Every part is known to be safe or is on the list. */
export function isAllowed(script: Script, place: ShellPlace, patterns: readonly string[]): boolean {
  const unsafe = unsafeCommands(script, place);
  return unsafe?.every((command) => patterns.some((pattern) => isExactly(command, pattern))) === true;
}

/** The program is the one that was named: `ls` is not `/tmp/ls`. */
function isExactly({ words, assignments, isFed }: Command, pattern: string): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const isPrefix = wanted.at(-1) === "*";
  const needed = isPrefix ? wanted.slice(0, -1) : wanted;
  if (assignments.length > 0 || words[0]?.kind !== "literal") return false;
  return (
    (isPrefix ? words.length >= needed.length : words.length === needed.length && !isFed) &&
    needed.every((each, at) => words[at]?.kind === "literal" && wordMatches(each, words[at].text))
  );
}

/** Options, with a value perhaps, may be between the words: `git -C dir push` is a `git push`. */
function begins({ argv }: FollowedCommand, pattern: string): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const [name, ...rest] = argv.map(plainText);
  if (name === undefined || name === "") return false;
  const [first = "", ...others] = wanted;
  if (!wordMatches(first, name) && !wordMatches(first, programName(name))) return false;
  return follows(rest, others.at(-1) === "*" ? others.slice(0, -1) : others);
}

/** The wanted words, in order; the positions in `words` that they can end at are kept for all ways of skipping at once. */
function follows(words: readonly string[], wanted: readonly string[]): boolean {
  let ends = new Set([0]);
  for (const next of wanted) {
    const reached = new Set(ends);
    // A set gives what is added while it is walked.
    for (const at of reached) {
      if (words[at]?.startsWith("-") !== true) continue;
      reached.add(at + 1);
      if (words[at + 1]?.startsWith("-") === false) reached.add(at + 2);
    }
    ends = new Set([...reached].filter((at) => wordMatches(next, words[at] ?? "")).map((at) => at + 1));
  }
  return ends.size > 0;
}

function wordMatches(pattern: string, word: string): boolean {
  if (word === "") return false;
  if (pattern === word) return true;
  if (!pattern.includes("*") || word.includes(unknown)) return false;
  const parts = pattern.split("*");
  const [start = "", ...middle] = parts;
  const end = middle.pop() ?? "";
  if (!word.startsWith(start) || word.length < start.length + end.length || !word.endsWith(end)) return false;
  let at = start.length;
  for (const part of middle) {
    const found = word.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= word.length - end.length;
}

/** A text that could not be parsed: the words of the pattern, one after the other, anywhere. */
function textHolds(text: string, pattern: string): boolean {
  const words = text.split(/[\s;|&()<>"'`{}]+/).map(programName);
  const wanted = pattern.trim().split(/\s+/);
  const needed = wanted.at(-1) === "*" && wanted.length > 1 ? wanted.slice(0, -1) : wanted;
  return words.some((_, at) => needed.every((each, index) => wordMatches(each, words[at + index] ?? "")));
}

/** Patterns that would let this command run without a question from now on; undefined when words cannot say it. */
export function patternsFor(script: Script, place: ShellPlace): readonly string[] | undefined {
  const patterns = unsafeCommands(script, place)?.map(patternOf);
  if (patterns === undefined || patterns.some((pattern) => pattern === undefined)) return undefined;
  return [...new Set(patterns.filter((pattern) => pattern !== undefined))];
}

/** The exact words. A path as the program's name says nothing lasting about what it runs. */
function patternOf({ words, assignments, isFed }: Command): string | undefined {
  const isPlain =
    words.length > 0 &&
    words.length <= 20 &&
    assignments.length === 0 &&
    !isFed &&
    words.every(({ kind, text }) => kind === "literal" && /^[^\s*]+$/.test(text));
  return isPlain && words[0]?.text.includes("/") === false
    ? words.map(({ text }) => text).join(" ")
    : undefined;
}

/** The words after the programs' names that are no options and that are known as they are. */
export function literalArguments({ commands }: Reading): string[] {
  return commands.flatMap(({ argv }) =>
    argv.slice(1).filter((word) => /^[^-\uE000-\uE00F][^\uE000-\uE00F]*$/.test(word)),
  );
}
