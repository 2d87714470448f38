/**
 * What a word of a command may stand for, as text with marks: private letters for what is active (a `*` that is a
 * wildcard and not a star) and for what cannot be known before the command runs. The marks survive being read again as a
 * script, so `bash -c "rm -rf $X"` needs nothing special.
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

const fieldLimit = 64;
const alternativeLimit = 16;
/** Longer than any command that can be run: a script may double its variables until memory is full. */
const textLimit = 2_000_000;
const braceWordLimit = 4096;

/** A command's own private letters must not pass for marks. */
export function withoutMarks(text: string): string {
  return text.replace(/[\uE000-\uE00F]/g, "\uFFFD");
}

const activeLetters: Readonly<Record<string, string>> = {
  "*": anyText,
  "?": anyCharacter,
  "[": openSet,
  "{": braceOpen,
  ",": braceComma,
  "}": braceClose,
};

/** Unquoted source text: backslashes go, wildcards and braces come to life. */
export function unquoted(source: string): string {
  return source.replace(/\\(\r?\n|[\s\S])|[*?[{,}]/g, (found, escaped?: string) =>
    escaped === undefined ? (activeLetters[found] ?? found) : /^\r?\n$/.test(escaped) ? "" : escaped,
  );
}

/** Source text between double quotes. */
export function doubleQuoted(source: string): string {
  return source.replace(/\\(\r?\n|["$`\\])/g, (_, escaped: string) => (/\n$/.test(escaped) ? "" : escaped));
}

/** A value that stands unquoted in a word: it is split, and its wildcards are live. */
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
    (_, x?: string, u?: string, U?: string, octal?: string, letter?: string) => {
      const hex = x ?? u ?? U;
      if (hex !== undefined) return character(Number.parseInt(hex, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8));
      return letter === undefined ? "" : (ansiLetters[letter] ?? letter);
    },
  );
}

function character(code: number): string {
  return code > 0x10ffff ? "\uFFFD" : withoutMarks(String.fromCodePoint(code));
}

/** Every combination, one of each part after the other; bounded. */
export function combine(parts: readonly (readonly string[])[]): string[] {
  let texts = [""];
  for (const part of parts) {
    texts = texts
      .flatMap((text) => (part.length === 0 ? [text] : part.map((each) => text + each)))
      .slice(0, alternativeLimit)
      .map((text) => (text.length > textLimit ? unknown : text));
  }
  return texts;
}

/** A word's text to the fields that the command gets: braces expanded, split where an unquoted value had spaces. */
export function fieldsOf(word: string, options: { quoted: boolean }): string[] {
  const fields = expandBraces(word).flatMap((each) => each.split(fieldBreak));
  return (options.quoted ? fields : fields.filter((field) => field !== "")).slice(0, fieldLimit);
}

/** Without the marks that matter only for wildcards: the text as a program or a script sees it. */
export function plainText(field: string): string {
  const plain: Readonly<Record<string, string>> = {
    [anyText]: "*",
    [anyCharacter]: "?",
    [openSet]: "[",
    [braceOpen]: "{",
    [braceComma]: ",",
    [braceClose]: "}",
    [fieldBreak]: " ",
  };
  return field.replace(/[\uE001-\uE003\uE005-\uE008]/g, (mark) => plain[mark] ?? "");
}

function expandBraces(word: string): string[] {
  if (word.length > braceWordLimit) return [plainBraces(word)];
  const done: string[] = [];
  const waiting = [word];
  while (waiting.length > 0 && done.length < fieldLimit) {
    const next = waiting.pop() ?? "";
    const group = firstGroup(next);
    if (group === undefined) done.push(plainBraces(next));
    else waiting.push(...group.choices.map((choice) => group.before + choice + group.after).reverse());
    if (waiting.length > fieldLimit) waiting.splice(0, waiting.length - fieldLimit);
  }
  return done;
}

/** The first `{a,b}` that has both its braces and a comma. */
function firstGroup(word: string) {
  for (let open = word.indexOf(braceOpen); open !== -1; open = word.indexOf(braceOpen, open + 1)) {
    const choices: string[] = [];
    let depth = 0;
    let from = open + 1;
    for (let at = open + 1; at < word.length; at += 1) {
      const letter = word[at];
      if (letter === braceOpen) depth += 1;
      else if (letter === braceComma && depth === 0) {
        choices.push(word.slice(from, at));
        from = at + 1;
      } else if (letter === braceClose) {
        if (depth > 0) depth -= 1;
        else if (choices.length === 0) break;
        else {
          choices.push(word.slice(from, at));
          return { before: word.slice(0, open), choices, after: word.slice(at + 1) };
        }
      }
    }
  }
  return undefined;
}

function plainBraces(word: string): string {
  return word.replaceAll(braceOpen, "{").replaceAll(braceComma, ",").replaceAll(braceClose, "}");
}
