/** Which commands of git only read: by subcommand, each with its options, by their exact names. */

import { resolve } from "node:path";
import { isPlainRepository, isWinding } from "./git-repository.ts";
import { realPath } from "./project-limit.ts";
import { literalText, operandsOf, optionLists } from "./safe-options.ts";
import type { Word } from "./syntax.ts";

const DIFF = `
  --patch --no-patch --raw --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status --color --no-color
  --word-diff --color-words --color-moved --minimal --patience --histogram --diff-algorithm --no-renames --find-renames --find-copies --text
  --function-context --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --exit-code --quiet
  --no-ext-diff --no-textconv --check --full-index --binary --abbrev --relative --no-prefix --cached --staged --merge-base --no-index --unified
  --diff-filter --pickaxe-all --pickaxe-regex --cc --ignore-submodules --inter-hunk-context`;
const LOG = `
  --oneline --graph --decorate --no-decorate --all --branches --tags --remotes --author --committer --grep --since --after --until --before
  --max-count --skip --format --pretty --date --reverse --first-parent --merges --no-merges --follow --topo-order --date-order --author-date-order
  --abbrev-commit --no-abbrev-commit --left-right --cherry-pick --cherry-mark --cherry --not --no-walk --all-match --invert-grep --ancestry-path
  --full-history --simplify-by-decoration --no-notes --parents --children --boundary --walk-reflogs --min-parents --max-parents --source
  --left-only --right-only --count --objects --relative-date --no-mailmap --mailmap --exclude --glob --end-of-options`;
const REFS = `
  --sort --format --contains --no-contains --merged --no-merged --points-at --ignore-case --column --no-column`;

const subcommands = optionLists(`
status sbvz:u --short --branch --porcelain --long --verbose --untracked-files --ignored --ignore-submodules --column --no-column --ahead-behind
  --no-ahead-behind --renames --no-renames --show-stash
diff pusabwzWRDmc0123456789:USGMCB ${DIFF}
log,show,rev-list,reflog pusabwzWRDmciEFPg0123456789:USGLnMCB ${DIFF} ${LOG}
shortlog snecp ${DIFF} ${LOG} --summary --numbered --email --group
diff-tree prtzMCumcs:US ${DIFF} --root --no-commit-id
blame ltsewpfn:LMC --porcelain --line-porcelain --incremental --root --date --since --show-name --show-number --show-email --abbrev --first-parent
  --ignore-rev
branch arvl --all --remotes --list --verbose --show-current --color --no-color --abbrev ${REFS}
tag li:n --list ${REFS}
for-each-ref . --count --omit-empty ${REFS}
show-ref sdq --head --heads --tags --branches --verify --hash --abbrev --dereference --quiet
rev-parse q --abbrev-ref --short --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir
  --is-inside-work-tree --is-bare-repository --is-inside-git-dir --symbolic-full-name --symbolic --all --branches --tags --remotes
describe . --tags --all --always --dirty --long --abbrev --match --exclude --exact-match --first-parent
merge-base a --all --is-ancestor --octopus --independent --fork-point
name-rev . --tags --refs --name-only --always
cat-file tsep
ls-files cdmoisukztv:x --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --exclude --full-name
  --error-unmatch --directory --no-empty-directory --eol --deduplicate --abbrev
ls-tree rtdlz --long --name-only --name-status --full-name --full-tree --abbrev --object-only
grep nilcwvhHEFPGWpqoIaz0123456789:eABCm --cached --untracked --no-index --name-only --files-with-matches --files-without-match --count --line-number
  --column --heading --break --show-function --function-context --all-match --and --or --not --max-depth --color --no-color --ignore-case
  --word-regexp --only-matching
check-ignore vqn --verbose --quiet --non-matching --no-index
count-objects vH --verbose --human-readable
stash p ${DIFF} --oneline
worktree v --porcelain --verbose
remote v --verbose --all --push
config lz --get --get-all --get-regexp --list --local --global --system --worktree --show-origin --show-scope --name-only --bool --int --type
version .
`);

type AreFine = (operands: readonly Word[], args: readonly Word[]) => boolean;

const has = (args: readonly Word[], pattern: RegExp) => args.some((word) => pattern.test(literalText(word)));
const isFirst = (words: readonly Word[], pattern: RegExp) => pattern.test(literalText(words[0]));
/** `git branch x` makes one: names are read only where a list is asked for, by an option that is not another one's value. */
const listsRefs: AreFine = (operands, args) => operands.length === 0 || asksFor(args, LISTING);
const LISTING = /^(?:--list|--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at(?:=.*)?)$/;
const asksFor = (args: readonly Word[], option: RegExp) =>
  args.some(
    (word, at) => option.test(literalText(word)) && !/^--(?:sort|format)?$/.test(literalText(args[at - 1])),
  );

/** What the operands must be, where they are not all read. */
const conditions = new Map<string, AreFine>([
  ["branch", listsRefs],
  ["tag", (operands, args) => asksFor(args, /^-l$/) || listsRefs(operands, args)],
  // It takes `--` for itself, and gives what follows to `git log`.
  ["stash", (_, args) => isFirst(args, /^(?:list|show)$/) && !has(args, /^--$/)],
  ["worktree", (_, args) => isFirst(args, /^list$/)],
  ["reflog", (operands) => operands.length === 0 || isFirst(operands, /^(?:show|HEAD)$/)],
  ["remote", (operands) => operands.length === 0 || isFirst(operands, /^get-url$/)],
  [
    "config",
    (operands, args) =>
      has(args, /^--get(?:-all|-regexp)?$|^-l$|^--list$/) ||
      (operands.length === 1 && isFirst(operands, /\./)),
  ],
]);

/** Before the subcommand. */
const GLOBAL = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;

/** Where it may run; undefined when that is not known. */
export function isSafeGit(args: readonly Word[], directories: readonly string[] | undefined): boolean {
  if (args.length === 1 && isFirst(args, /^--version$/)) return true;
  let places = directories;
  let at = 0;
  for (; literalText(args[at]).startsWith("-"); at += 1) {
    if (literalText(args[at]) === "-C") {
      at += 1;
      const target = literalText(args[at]);
      if (target === "" || target.startsWith("-") || isWinding(target)) return false;
      places = places?.map((place) => resolve(realPath(place), target));
    } else if (!GLOBAL.test(literalText(args[at]))) return false;
  }
  const name = literalText(args[at]);
  const rest = args.slice(at + 1);
  const operands = operandsOf(rest, subcommands.get(name));
  // Signatures are checked by another program.
  if (rest.some(({ text }) => /%[-+ ]?G|%\(\*?signature/.test(text))) return false;
  if (operands === undefined || conditions.get(name)?.(operands, rest) === false) return false;
  return places?.every(isPlainRepository) === true;
}
