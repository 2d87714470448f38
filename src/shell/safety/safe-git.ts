/** Which commands of git only read: by subcommand, each with its options, by their exact names. */

import { resolve } from "node:path";
import { isPlainRepository } from "./git-repository.ts";
import { type OptionList, operandsOf, optionList } from "./safe-options.ts";
import type { Word } from "./syntax.ts";

const DIFF =
  "--patch --no-patch --raw --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status --color --no-color " +
  "--word-diff --color-words --color-moved --minimal --patience --histogram --diff-algorithm --no-renames --find-renames --find-copies " +
  "--text --function-context --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol " +
  "--exit-code --quiet --no-ext-diff --no-textconv --check --full-index --binary --abbrev --relative --no-prefix --cached --staged " +
  "--merge-base --no-index --unified --diff-filter --pickaxe-all --pickaxe-regex --cc --ignore-submodules --inter-hunk-context";
const LOG =
  `${DIFF} --oneline --graph --decorate --no-decorate --all --branches --tags --remotes --author --committer --grep --since --after --until ` +
  "--before --max-count --skip --format --pretty --date --reverse --first-parent --merges --no-merges --follow --topo-order --date-order " +
  "--author-date-order --abbrev-commit --no-abbrev-commit --left-right --cherry-pick --cherry-mark --cherry --not --no-walk --all-match " +
  "--invert-grep --ancestry-path --full-history --simplify-by-decoration --no-notes --parents --children --boundary --walk-reflogs " +
  "--min-parents --max-parents --source --left-only --right-only --count --objects --relative-date --no-mailmap --mailmap --exclude --glob --end-of-options";
const REF_LISTS =
  "--sort --format --contains --no-contains --merged --no-merged --points-at --ignore-case --column --no-column";

const diff = optionList("pusabwzWRDmc0123456789", "USGMCB", DIFF);
const log = optionList("pusabwzWRDmciEFPg0123456789", "USGLnMCB", LOG);

type AreFine = (operands: readonly Word[], args: readonly Word[]) => boolean;

interface Subcommand {
  readonly options: OptionList;
  /** What its operands must be; all of them are read when missing. */
  readonly areFine?: AreFine;
}

const textOf = (word: Word | undefined) => (word?.kind === "literal" ? word.text : "");
const has = (args: readonly Word[], pattern: RegExp) => args.some((word) => pattern.test(textOf(word)));
const startsWith =
  (...names: readonly string[]): AreFine =>
  (_, args) =>
    names.includes(textOf(args[0]));
/** `git branch x` makes one: names are read only where a list is asked for. */
const listsRefs: AreFine = (operands, args) =>
  operands.length === 0 ||
  has(args, /^(?:--list|--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at(?:=.*)?)$/);

const subcommands: Readonly<Record<string, Subcommand>> = {
  status: {
    options: optionList(
      "sbvz",
      "u",
      "--short --branch --porcelain --long --verbose --untracked-files --ignored --ignore-submodules --column --no-column --ahead-behind " +
        "--no-ahead-behind --renames --no-renames --show-stash",
    ),
  },
  diff: { options: diff },
  log: { options: log },
  show: { options: log },
  "rev-list": { options: log },
  shortlog: { options: optionList("snecp", "", `${LOG} --summary --numbered --email --group`) },
  "diff-tree": { options: optionList("prtzMCumcs", "US", `${DIFF} --root --no-commit-id`) },
  blame: {
    options: optionList(
      "ltsewpfn",
      "LMC",
      "--porcelain --line-porcelain --incremental --root --date --since --show-name --show-number --show-email --abbrev --first-parent --ignore-rev",
    ),
  },
  branch: {
    options: optionList(
      "arvl",
      "",
      `--all --remotes --list --verbose --show-current --color --no-color --abbrev ${REF_LISTS}`,
    ),
    areFine: listsRefs,
  },
  tag: {
    options: optionList("li", "n", `--list ${REF_LISTS}`),
    areFine: (operands, args) => has(args, /^-l$/) || listsRefs(operands, args),
  },
  "for-each-ref": { options: optionList("", "", `--count --omit-empty ${REF_LISTS}`) },
  "show-ref": {
    options: optionList(
      "sdq",
      "",
      "--head --heads --tags --branches --verify --hash --abbrev --dereference --quiet",
    ),
  },
  "rev-parse": {
    options: optionList(
      "q",
      "",
      "--abbrev-ref --short --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir " +
        "--is-inside-work-tree --is-bare-repository --is-inside-git-dir --symbolic-full-name --symbolic --all --branches --tags --remotes",
    ),
  },
  describe: {
    options: optionList(
      "",
      "",
      "--tags --all --always --dirty --long --abbrev --match --exclude --exact-match --first-parent",
    ),
  },
  "merge-base": { options: optionList("a", "", "--all --is-ancestor --octopus --independent --fork-point") },
  "name-rev": { options: optionList("", "", "--tags --refs --name-only --always") },
  "cat-file": { options: optionList("tsep", "") },
  "ls-files": {
    options: optionList(
      "cdmoisukztv",
      "x",
      "--cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --exclude --full-name --error-unmatch " +
        "--directory --no-empty-directory --eol --deduplicate --abbrev",
    ),
  },
  "ls-tree": {
    options: optionList(
      "rtdlz",
      "",
      "--long --name-only --name-status --full-name --full-tree --abbrev --object-only",
    ),
  },
  grep: {
    options: optionList(
      "nilcwvhHEFPGWpqoIaz0123456789",
      "eABCm",
      "--cached --untracked --no-index --name-only --files-with-matches --files-without-match --count --line-number --column --heading --break " +
        "--show-function --function-context --all-match --and --or --not --max-depth --color --no-color --ignore-case --word-regexp --only-matching",
    ),
  },
  "check-ignore": { options: optionList("vqn", "", "--verbose --quiet --non-matching --no-index") },
  "count-objects": { options: optionList("vH", "", "--verbose --human-readable") },
  stash: { options: optionList("p", "", `${DIFF} --oneline`), areFine: startsWith("list", "show") },
  worktree: { options: optionList("v", "", "--porcelain --verbose"), areFine: startsWith("list") },
  reflog: {
    options: log,
    areFine: (operands) => operands.length === 0 || ["show", "HEAD"].includes(textOf(operands[0])),
  },
  remote: {
    options: optionList("v", "", "--verbose --all --push"),
    areFine: (operands) => operands.length === 0 || textOf(operands[0]) === "get-url",
  },
  config: {
    options: optionList(
      "lz",
      "",
      "--get --get-all --get-regexp --list --local --global --system --worktree --show-origin --show-scope --name-only --bool --int --type",
    ),
    areFine: (operands, args) =>
      has(args, /^--get(?:-all|-regexp)?$|^-l$|^--list$/) ||
      (operands.length === 1 && textOf(operands[0]).includes(".")),
  },
  version: { options: optionList("", "") },
};

/** Before the subcommand. */
const GLOBAL = new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]);

/** Where it may run; undefined when that is not known. */
export function isSafeGit(args: readonly Word[], directories: readonly string[] | undefined): boolean {
  if (args.length === 1 && textOf(args[0]) === "--version") return true;
  let places = directories;
  let at = 0;
  for (; textOf(args[at]).startsWith("-"); at += 1) {
    if (textOf(args[at]) === "-C") {
      at += 1;
      const target = textOf(args[at]);
      if (target === "" || target.startsWith("-")) return false;
      places = places?.map((place) => resolve(place, target));
    } else if (!GLOBAL.has(textOf(args[at]))) return false;
  }
  const name = textOf(args[at]);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return false;
  const rest = args.slice(at + 1);
  const operands = operandsOf(rest, subcommand.options);
  if (operands === undefined || subcommand.areFine?.(operands, rest) === false) return false;
  return places?.every(isPlainRepository) === true;
}
