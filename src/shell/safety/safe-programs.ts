/** The programs of the safe list, each with what of it is safe. */

import { isReadingAwk, isReadingSed } from "./read-only-scripts.ts";
import { literalText, operandsOf, optionLists } from "./safe-options.ts";
import { UNARY_TEST } from "./script-reader.ts";
import type { Word } from "./syntax.ts";

/** They write nothing and run nothing, whatever their arguments are. */
export const READERS = new Set(
  (
    "cat head tail wc ls echo grep egrep fgrep cut tr nl tac rev fold comm cmp paste column stat du df basename dirname realpath " +
    "readlink pwd whoami id uname nproc printenv true false : sleep seq md5sum sha1sum sha256sum sha512sum cksum od which type " +
    "uptime free ps jq"
  ).split(" "),
);

/** Of the shell itself: found without PATH. */
export const BUILTINS = new Set("cd echo printf pwd test [ true false : type command".split(" "));

/** Asked for nothing but its version: these look at no file of the project first. */
const VERSIONED = new Set("node python python3 bun deno gcc docker bash".split(" "));

/** They only read, with these options. */
const options = optionLists(`
sort bcCdfghimMnrRsuVz:ktS --reverse --numeric-sort --human-numeric-sort --version-sort --unique --key --field-separator --ignore-case --stable
  --check
uniq cdDiuz:fsw --count --repeated --unique --ignore-case --skip-fields --skip-chars
date uRI:d --date --utc --iso-8601 --rfc-3339 --universal -Iseconds -Idate -Iminutes
diff abBcdeEinNpqrstTuwyZ0123456789:CUWxXFIL --brief --unified --recursive --new-file --text --color --side-by-side --ignore-all-space
  --ignore-space-change --ignore-blank-lines --ignore-case --exclude --label --strip-trailing-cr --suppress-common-lines --width --context
file biLhk --brief --mime --mime-type --mime-encoding --dereference
tree adfilpshugDFrtcUnCASqNQxvXJ -L -P -I -L1 -L2 -L3 -aL -dL --dirsfirst --noreport --du --gitignore --prune --filelimit --charset --matchdirs --ignore-case --level
rg nilcvwxoSsFuUaHILNpPq0.h:egtTABCmjfrMEd --line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp
  --files --files-with-matches --files-without-match --count --count-matches --hidden --no-ignore --no-ignore-vcs --glob --iglob --type --type-not
  --type-list --context --after-context --before-context --max-count --max-depth --max-columns --multiline --multiline-dotall --only-matching
  --replace --invert-match --no-heading --heading --color --no-messages --sort --sortr --stats --json --vimgrep --column --trim --pcre2 --engine
  --follow --null --passthru --pretty --quiet --with-filename --no-filename --text --unrestricted --regexp --file --line-regexp --encoding --threads
  --no-config --version --help
fd,fdfind HIusigFalpL01q:dteEjSc --hidden --no-ignore --type --extension --exclude --max-depth --min-depth --glob --fixed-strings --absolute-path --full-path
  --follow --size --changed-within --changed-before --max-results --case-sensitive --ignore-case --color --print0 --list-details --version
docker aqstlf:n --all --quiet --filter --format --no-trunc --tail --timestamps --since --until --follow --size --type --latest --no-stream
`);

type Check = (words: readonly Word[]) => boolean;

/** What their operands must be besides. */
const conditions = new Map<string, (operands: readonly Word[], args: readonly Word[]) => boolean>([
  // The second one is written to.
  ["uniq", (operands) => operands.length <= 1 && operands.every(({ isSingle }) => isSingle)],
  // Any other one sets the clock.
  ["date", (operands) => operands.every((word) => literalText(word).startsWith("+"))],
  [
    "docker",
    (_, [name]) =>
      /^(?:ps|images|logs|inspect|version|info|top|port|diff|history|stats)$/.test(literalText(name)),
  ],
]);

const checks = new Map<string, Check>([
  ["cd", (args) => args.length <= 1],
  ["printf", isHarmlessPrintf],
  ["test", isHarmlessTest],
  ["[", (args) => literalText(args.at(-1)) === "]" && isHarmlessTest(args.slice(0, -1))],
  ["command", (args) => /^-[vV]$/.test(literalText(args[0]))],
  ["find", isSearch],
  ...["sed", "gsed"].map((name): [string, Check] => [name, (args) => areTexts(args, isReadingSed)]),
  ...["awk", "gawk", "mawk"].map((name): [string, Check] => [name, (args) => areTexts(args, isReadingAwk)]),
]);

/** Whether a program of the list may run with these arguments; of `git` another file knows. */
export function isSafeProgram(name: string, args: readonly Word[]): boolean {
  if (VERSIONED.has(name) && args.length === 1 && literalText(args[0]) === "--version") return true;
  const operands = operandsOf(args, options.get(name));
  const isListed = operands !== undefined && conditions.get(name)?.(operands, args) !== false;
  return READERS.has(name) || isListed || checks.get(name)?.(args) === true;
}

function areTexts(args: readonly Word[], isFine: (texts: readonly string[]) => boolean): boolean {
  // A file that only the shell can name is a file like others, and not an option; but it is no script that only reads.
  return (
    args.every(({ kind }) => kind !== "any") &&
    isFine(args.map(({ kind, text }) => (kind === "literal" ? text : "|")))
  );
}

/** The format is literal, and has neither `-v` nor `%n`, which set variables. */
function isHarmlessPrintf([format]: readonly Word[]): boolean {
  const text = literalText(format);
  return (
    text !== "" &&
    !text.startsWith("-") &&
    text.replace(/%[-+ #0-9.]*[sdiouxXfeEgGcbq%]/g, "").includes("%") === false
  );
}

/** Of one or two words. Not `-v` and its like, which compute subscripts, and nothing whose shape is not known. */
function isHarmlessTest(args: readonly Word[]): boolean {
  if (!args.every(({ isSingle }) => isSingle)) return false;
  const [first, second, third] = literalText(args[0]) === "!" ? args.slice(1) : args;
  const count = args.length - (literalText(args[0]) === "!" ? 1 : 0);
  if (count === 2 && second !== undefined) return UNARY_TEST.test(literalText(first));
  return (
    count === 3 &&
    third !== undefined &&
    /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot))$/.test(literalText(second))
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
