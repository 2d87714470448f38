/** The programs of the safe list, each with what of it is safe. */

import { isReadingAwk, isReadingSed } from "./read-only-scripts.ts";
import { type OptionList, operandsOf, optionList } from "./safe-options.ts";
import type { Word } from "./syntax.ts";

/** They write nothing and run nothing, whatever their arguments are. */
const READERS = new Set(
  (
    "cat head tail wc ls echo grep egrep fgrep cut tr nl tac rev fold comm cmp paste column stat du df basename dirname realpath " +
    "readlink pwd whoami id uname nproc printenv true false : sleep seq md5sum sha1sum sha256sum sha512sum cksum od which type " +
    "uptime free ps jq"
  ).split(" "),
);

export function isReader(name: string): boolean {
  return READERS.has(name);
}

/** Of the shell itself: found without PATH. */
export const BUILTINS = new Set("cd echo printf pwd test [ true false : type command".split(" "));

type Check = (args: readonly Word[]) => boolean;

const withOptions =
  (list: OptionList, areFine: (operands: readonly Word[]) => boolean = () => true): Check =>
  (args) => {
    const operands = operandsOf(args, list);
    return operands !== undefined && areFine(operands);
  };

const checks = new Map<string, Check>([
  ["cd", (args) => args.length <= 1],
  ["printf", isHarmlessPrintf],
  ["test", isHarmlessTest],
  ["[", (args) => textOf(args.at(-1)) === "]" && isHarmlessTest(args.slice(0, -1))],
  ["command", (args) => /^-[vV]$/.test(textOf(args[0]))],
  ["find", isSearch],
  ["sed", (args) => areTexts(args, isReadingSed)],
  ["gsed", (args) => areTexts(args, isReadingSed)],
  ["awk", (args) => areTexts(args, isReadingAwk)],
  ["gawk", (args) => areTexts(args, isReadingAwk)],
  ["mawk", (args) => areTexts(args, isReadingAwk)],
  [
    "sort",
    withOptions(
      optionList(
        "bcCdfghimMnrRsuVz",
        "ktS",
        "--reverse --numeric-sort --human-numeric-sort --version-sort --unique --key --field-separator --ignore-case --stable --check",
      ),
    ),
  ],
  [
    "uniq",
    withOptions(
      optionList("cdDiuz", "fsw", "--count --repeated --unique --ignore-case --skip-fields --skip-chars"),
      // The second one is written to.
      (operands) => operands.length <= 1 && operands.every(({ isSingle }) => isSingle),
    ),
  ],
  [
    "date",
    withOptions(
      optionList("uRI", "d", "--date --utc --iso-8601 --rfc-3339 --universal -Iseconds -Idate -Iminutes"),
      // Any other one sets the clock.
      (operands) => operands.every(({ kind, text }) => kind === "literal" && text.startsWith("+")),
    ),
  ],
  [
    "diff",
    withOptions(
      optionList(
        "abBcdeEinNpqrstTuwyZ0123456789",
        "CUWxXFIL",
        "--brief --unified --recursive --new-file --text --color --side-by-side --ignore-all-space --ignore-space-change " +
          "--ignore-blank-lines --ignore-case --exclude --label --strip-trailing-cr --suppress-common-lines --width --context",
      ),
    ),
  ],
  ["file", withOptions(optionList("biLhk", "", "--brief --mime --mime-type --mime-encoding --dereference"))],
  [
    "tree",
    withOptions(
      optionList(
        "adfilpshugDFrtcUnCASqNQxvXJ",
        "LPI",
        "--dirsfirst --noreport --du --gitignore --prune --filelimit --charset --matchdirs --ignore-case --level",
      ),
    ),
  ],
  [
    "rg",
    withOptions(
      optionList(
        "nilcvwxoSsFuUaHILNpPq0.h",
        "egtTABCmjfrMEd",
        "--line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --files " +
          "--files-with-matches --files-without-match --count --count-matches --hidden --no-ignore --no-ignore-vcs --glob --iglob --type " +
          "--type-not --type-list --context --after-context --before-context --max-count --max-depth --max-columns --multiline " +
          "--multiline-dotall --only-matching --replace --invert-match --no-heading --heading --color --no-messages --sort --sortr " +
          "--stats --json --vimgrep --column --trim --pcre2 --engine --follow --null --passthru --pretty --quiet --with-filename " +
          "--no-filename --text --unrestricted --regexp --file --line-regexp --encoding --threads --no-config --version --help",
      ),
    ),
  ],
  ["fd", withOptions(FD_OPTIONS())],
  ["fdfind", withOptions(FD_OPTIONS())],
  ["docker", isReadingDocker],
]);

function FD_OPTIONS(): OptionList {
  return optionList(
    "HIusigFalpL01q",
    "dteEjSc",
    "--hidden --no-ignore --type --extension --exclude --max-depth --min-depth --glob --fixed-strings --absolute-path --full-path --follow " +
      "--size --changed-within --changed-before --max-results --case-sensitive --ignore-case --color --print0 --list-details --version",
  );
}

/** Asked for nothing but its version: these look at no file of the project first. */
const VERSIONED = new Set("node python python3 bun deno gcc docker bash".split(" "));

/** Whether a program of the list may run with these arguments; of `git` another file knows. */
export function isSafeProgram(name: string, args: readonly Word[]): boolean {
  if (VERSIONED.has(name) && args.length === 1 && textOf(args[0]) === "--version") return true;
  return READERS.has(name) || checks.get(name)?.(args) === true;
}

function textOf(word: Word | undefined): string {
  return word?.kind === "literal" ? word.text : "";
}

function areTexts(args: readonly Word[], isFine: (texts: readonly string[]) => boolean): boolean {
  // A file that only the shell can name is a file like others, and not an option.
  return (
    args.every(({ kind }) => kind !== "any") &&
    isFine(args.map(({ kind, text }) => (kind === "literal" ? text : `/${text}`)))
  );
}

/** The format is literal, and has neither `-v` nor `%n`, which set variables. */
function isHarmlessPrintf([format]: readonly Word[]): boolean {
  const text = textOf(format);
  return (
    text !== "" &&
    !text.startsWith("-") &&
    text.replace(/%[-+ #0-9.]*[sdiouxXfeEgGcbq%]/g, "").includes("%") === false
  );
}

/** Of one or two words. Not `-v` and its like, which compute subscripts, and nothing whose shape is not known. */
function isHarmlessTest(args: readonly Word[]): boolean {
  if (!args.every(({ isSingle }) => isSingle)) return false;
  const [first, second, third] = textOf(args[0]) === "!" ? args.slice(1) : args;
  const count = args.length - (textOf(args[0]) === "!" ? 1 : 0);
  if (count === 2 && second !== undefined) return /^-[defhLnrswxz]$/.test(textOf(first));
  return (
    count === 3 && third !== undefined && /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot))$/.test(textOf(second))
  );
}

/** What `find` may be told besides where to look. */
const SEARCH =
  /^(?:-(?:H|L|P|O\d|a(?:nd)?|o(?:r)?|not|name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|lname|ilname|type|xtype|size|empty|newer\w*|[acm](?:time|min|newer)|user|group|uid|gid|nouser|nogroup|perm|inum|links|samefile|maxdepth|mindepth|depth|mount|xdev|daystart|readable|writable|executable|print|print0|printf|ls|prune|quit|true|false|follow|noleaf|E|X|x|s|d)|[!(),])$/;

function isSearch(args: readonly Word[]): boolean {
  return args.every(({ kind, text }) =>
    kind === "literal"
      ? SEARCH.test(text) || !text.startsWith("-") || /^-\d+[a-zA-Z]?$/.test(text)
      : kind === "operand",
  );
}

const DOCKER_READS = new Set("ps images logs inspect version info top port diff history stats".split(" "));
const dockerOptions = optionList(
  "aqstlf",
  "n",
  "--all --quiet --filter --format --no-trunc --tail --timestamps --since --until --follow --size --type --latest --no-stream",
);

function isReadingDocker([subcommand, ...args]: readonly Word[]): boolean {
  return DOCKER_READS.has(textOf(subcommand)) && operandsOf(args, dockerOptions) !== undefined;
}
