/**
 * What a word may stand for, as text with marks: private letters for what is active (a `*` that is a wildcard and not a star) and for
 * what cannot be known before the command runs. The marks survive being read again as a script, so `bash -c "rm -rf $X"` needs
 * nothing special.
 */

/** Text that only the running shell will know. */
export const unknown = "\uE000";
export const anyText = "\uE001";
export const anyCharacter = "\uE002";
export const openSet = "\uE003";
/** At the end of a path: this and everything below, one by one, as `find` lists it. */
export const everythingBelow = "\uE004";
const braceOpen = "\uE005";
const braceComma = "\uE006";
const braceClose = "\uE007";
const fieldBreak = "\uE008";
/** A `~` that is a home where it begins a field. */
export const tilde = "\uE009";

const FIELD_LIMIT = 64;
const ALTERNATIVE_LIMIT = 16;
/** Longer than any command that can be run: a script may double its variables until memory is full. */
const TEXT_LIMIT = 2_000_000;
const BRACE_WORD_LIMIT = 4096;
const GROUP = new RegExp(`${braceOpen}([^${braceOpen}${braceClose}]*)${braceClose}`);

const activeLetters: Readonly<Record<string, string>> = {
  "*": anyText,
  "?": anyCharacter,
  "[": openSet,
  "{": braceOpen,
  ",": braceComma,
  "}": braceClose,
  "~": tilde,
};
const plainLetters: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(activeLetters).map(([letter, mark]) => [mark, letter]),
  [fieldBreak, " "],
]);

/** A command's own private letters must not pass for marks. */
export function withoutMarks(text: string): string {
  return text.replace(/[\uE000-\uE00F]/g, "\uFFFD");
}

/** Text outside quotes: wildcards and braces come to life. */
export function activated(text: string): string {
  return text.replace(/[*?[{,}~]/g, (letter) => activeLetters[letter] ?? letter);
}

/** The text as a program or a script sees it: only what is unknown stays a mark. */
export function plainText(field: string): string {
  return field.replace(/[\uE001-\uE003\uE005-\uE009]/g, (mark) => plainLetters[mark] ?? "");
}

/** A value outside quotes: it is split, and its wildcards are live. */
export function splitValue(value: string, separators: string): string {
  const split = [...separators].reduce((text, letter) => text.replaceAll(letter, fieldBreak), value);
  return split.replace(/[*?[]|\s+/g, (found) => activeLetters[found] ?? fieldBreak);
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** What `$'…'` and `printf` make of backslashes. */
export function ansiQuoted(source: string): string {
  return source.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (_, x?: string, u?: string, U?: string, octal?: string, letter = "") => {
      const hex = x ?? u ?? U;
      if (hex === undefined && octal === undefined) return ansiLetters[letter] ?? letter;
      const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
      return code > 0x10ffff ? "\uFFFD" : withoutMarks(String.fromCodePoint(code));
    },
  );
}

/** Every combination, one of each part after the other; bounded. */
export function combine(parts: readonly (readonly string[])[]): string[] {
  let texts = [""];
  for (const part of parts) {
    texts = texts
      .flatMap((text) => (part.length === 0 ? [text] : part.map((each) => text + each)))
      .slice(0, ALTERNATIVE_LIMIT)
      .map((text) => (text.length > TEXT_LIMIT ? unknown : text));
  }
  return texts;
}

/** A word's text to the fields that the command gets: braces expanded, split where an unquoted value had spaces. */
export function fieldsOf(word: string, { isQuoted }: { isQuoted: boolean }): string[] {
  const fields = expandBraces(word).flatMap((each) => each.split(fieldBreak));
  return (isQuoted ? fields : fields.filter((field) => field !== "")).slice(0, FIELD_LIMIT);
}

/** From the innermost group outwards. One without a comma is no group. */
function expandBraces(word: string): string[] {
  const done: string[] = [];
  const waiting = [word];
  while (waiting.length > 0 && done.length < FIELD_LIMIT) {
    const next = waiting.pop() ?? "";
    const found = next.length > BRACE_WORD_LIMIT ? null : GROUP.exec(next);
    if (found === null) done.push(next.replace(/[\uE005-\uE007]/g, (mark) => plainLetters[mark] ?? ""));
    else {
      const choices = (found[1] ?? "").split(braceComma);
      const [only = ""] = choices;
      const texts = choices.length === 1 ? [`{${only}}`] : choices.reverse();
      const after = next.slice(found.index + found[0].length);
      waiting.push(...texts.map((text) => next.slice(0, found.index) + text + after));
    }
    if (waiting.length > FIELD_LIMIT) waiting.splice(0, waiting.length - FIELD_LIMIT);
  }
  return done;
}
