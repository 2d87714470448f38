/**
 * The patterns of `bash.allow` and `bash.deny`: the first words of a command. `git push` is every push, `terraform *`
 * every terraform; a `*` inside a word stands for any letters.
 */

import { unsafeCommands } from "./known-safe.ts";
import { programName } from "./options.ts";
import type { ReadCommand, Reading } from "./reading.ts";
import { plainText, unknown } from "./word-value.ts";

/** The deny pattern that some part of the command matches. */
export function deniedBy(reading: Reading, patterns: readonly string[]): string | undefined {
  return patterns.find(
    (pattern) =>
      reading.commands.some((command) => begins(command, pattern, { skipOptions: true })) ||
      reading.unread.some((text) => textHolds(text, pattern)),
  );
}

/** Every part is known to be safe or is on the list; a part that a listed command runs is covered by it. */
export function isAllowed(reading: Reading, patterns: readonly string[]): boolean {
  const unsafe = unsafeCommands(reading);
  return unsafe?.every((command) => isListed(command, patterns)) === true;
}

function isListed(command: ReadCommand, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => begins(command, pattern, { skipOptions: false }))) return true;
  return command.parent !== undefined && isListed(command.parent, patterns);
}

/** `skipOptions`: options, with a value perhaps, may stand between the words: `git -C dir push` is a `git push`. */
function begins({ argv }: ReadCommand, pattern: string, { skipOptions }: { skipOptions: boolean }): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const [name, ...rest] = argv.map(plainText);
  if (name === undefined || name === "") return false;
  const [first = "", ...others] = wanted;
  if (!wordMatches(first, name) && !wordMatches(first, programName(name))) return false;
  return follows(rest, others.at(-1) === "*" ? others.slice(0, -1) : others, skipOptions);
}

/** The wanted words, in order; which places of `words` they can end at is kept for all ways of skipping at once. */
function follows(words: readonly string[], wanted: readonly string[], skipOptions: boolean): boolean {
  let places = new Set([0]);
  for (const next of wanted) {
    const reached = new Set(places);
    if (skipOptions) {
      // A set gives what is added while it is walked.
      for (const at of reached) {
        if (words[at]?.startsWith("-") !== true) continue;
        reached.add(at + 1);
        if (words[at + 1]?.startsWith("-") === false) reached.add(at + 2);
      }
    }
    places = new Set([...reached].filter((at) => wordMatches(next, words[at] ?? "")).map((at) => at + 1));
  }
  return places.size > 0;
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

/** Programs whose first argument says what they do: remembering `npm publish` is enough, and not all of `npm`. */
const manyCommands = new Set(
  (
    "git npm yarn pnpm docker podman kubectl helm terraform cargo go pip pip3 uv poetry apt apt-get brew dnf gh gcloud aws az " +
    "systemctl bun deno rustup gem bundle composer mvn gradle dotnet mix flutter make just"
  ).split(" "),
);

/**
 * Patterns that would let this command run without a question from now on; undefined when words cannot say it
 * (redirections, functions, variables in the words, text that cannot be parsed).
 */
export function patternsFor(reading: Reading): readonly string[] | undefined {
  const unsafe = unsafeCommands(reading)?.filter(
    // What a command of the list runs is covered by it.
    ({ parent }, _, all) => parent === undefined || !all.includes(parent),
  );
  const patterns = unsafe?.map(patternOf);
  if (patterns === undefined || patterns.some((pattern) => pattern === undefined)) return undefined;
  return [...new Set(patterns.filter((pattern) => pattern !== undefined))];
}

function patternOf({ argv }: ReadCommand): string | undefined {
  const [name = "", first = ""] = argv;
  const words = manyCommands.has(name) && /^[a-z][\w:-]*$/.test(first) ? [name, first] : argv;
  const isPlain =
    words.length > 0 && words.length <= 20 && words.every((word) => /^[^\s*\uE000-\uE00F]+$/.test(word));
  return isPlain ? words.join(" ") : undefined;
}
