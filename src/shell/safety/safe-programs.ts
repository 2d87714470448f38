/** The list of commands that run without confirmation, and what of them does not. */

import { searchesNothingElse } from "./find-arguments.ts";
import { isReadingAwk, isReadingSed } from "./read-only-scripts.ts";
import { plainText, unknown } from "./word-value.ts";

/** They only run what follows them, which is looked at as well. */
export const transparentWrappers = new Set([
  "env",
  "nice",
  "nohup",
  "timeout",
  "time",
  "command",
  "builtin",
  "stdbuf",
  "xargs",
  "sh",
  "bash",
]);

/** They write nothing, whatever their arguments are. */
const readers = new Set(
  (
    "ls pwd echo cat grep egrep fgrep zgrep head tail wc cut tr nl tac rev fold column comm cmp diff stat file " +
    "basename dirname realpath readlink du df which type whoami id uname ps nproc uptime printenv true false : test [ " +
    "cd md5sum sha1sum sha256sum sha512sum cksum seq sleep printf"
  ).split(" "),
);

type Check = (args: readonly string[]) => boolean;

const noneOf =
  (...forbidden: readonly RegExp[]): Check =>
  (args) =>
    args.every((arg) => !forbidden.some((pattern) => pattern.test(arg)));

const subcommand = (args: readonly string[]) => args.find((arg) => !arg.startsWith("-")) ?? "";

const packageManager: Check = (args) =>
  !/^(publish|unpublish|deprecate|dist-tag|owner|access|team|token|login|adduser|logout|exec|x|dlx|config|set|profile|star|unstar|hook|org|npm)$/.test(
    subcommand(args),
  );

const checks = new Map<string, Check>([
  ["git", isSafeGit],
  ["npm", packageManager],
  ["yarn", packageManager],
  ["pnpm", packageManager],
  ["docker", isSafeDocker],
  ["make", noneOf(/^--eval/, /^-E/, /^SHELL=/)],
  ["cmake", noneOf(/^-E$/)],
  ["find", (args) => searchesNothingElse(["find", ...args])],
  ["awk", isReadingAwk],
  ["gawk", isReadingAwk],
  ["mawk", isReadingAwk],
  ["sed", isReadingSed],
  ["gsed", isReadingSed],
  ["sort", noneOf(/^-[A-Za-z]*o/, /^--output/, /^--compress-program/)],
  ["uniq", (args) => args.filter((arg) => !arg.startsWith("-")).length < 2],
  ["date", noneOf(/^-[A-Za-z]*s/, /^--set/, /^\d/)],
  ["rg", noneOf(/^--pre/, /^--hostname-bin/)],
  ["tree", noneOf(/^-[A-Za-z]*o/)],
  ["jq", () => true],
]);

/** `argumentsUnknown`: more arguments come from elsewhere, as with xargs. */
export function isSafeProgram(
  name: string,
  args: readonly string[],
  { argumentsUnknown }: { argumentsUnknown: boolean },
): boolean {
  if (readers.has(name)) return name !== "printf" || args[0] !== "-v";
  if (argumentsUnknown) return false;
  if (/^(python([23](\.\d+)?)?|node|nodejs)$/.test(name)) return true;
  return checks.get(name)?.(args.map(plainText)) ?? false;
}

const gitRunsOthers =
  /^(-c|--config-env.*|--exec-path=.*|--upload-pack.*|--receive-pack.*|--exec.*|-x|--extcmd.*|-O.*|--open-files-in-pager.*|--ext-diff)$/;
const gitLoses = new Map<string, RegExp>([
  ["clean", /^-[a-zA-Z]*f|^--force/],
  ["push", /^-[a-zA-Z]*[fd]|^--(force|delete|mirror|prune)|^[+:]./],
  ["reset", /^--hard|^--merge/],
  ["branch", /^-[a-zA-Z]*[DdMf]|^--(delete|force|move)/],
  ["tag", /^-[a-zA-Z]*[df]|^--(delete|force)/],
  ["checkout", /^-[a-zA-Z]*f|^--(force|ours|theirs)?$|^\.$/],
  ["switch", /^-[a-zA-Z]*[fC]|^--(force|discard-changes)/],
  ["stash", /^(drop|clear|pop)$/],
  ["reflog", /^(expire|delete)$/],
  ["worktree", /^(remove|prune)$/],
  ["remote", /^(remove|rm|set-url)$/],
  ["submodule", /^(foreach|deinit)$/],
  ["bisect", /^run$/],
  ["rm", /^-[a-zA-Z]*f|^--force/],
]);
const gitAlways =
  /^(restore|config|filter-branch|filter-repo|update-ref|gc|prune|replace|daemon|shell|credential.*|instaweb|difftool|mergetool|send-email|hook|fast-import)$/;

function isSafeGit(args: readonly string[]): boolean {
  if (args.some((arg) => arg.includes(unknown) && args.indexOf(arg) < 2)) return false;
  if (args.some((arg) => gitRunsOthers.test(arg) || /^ext::/.test(arg))) return false;
  const words = withoutGlobalOptions(args);
  const [command = "", ...rest] = words;
  if (gitAlways.test(command)) return false;
  const loses = gitLoses.get(command);
  return loses === undefined || !rest.some((arg) => loses.test(arg));
}

function withoutGlobalOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-") === true) {
    at += /^(-C|--git-dir|--work-tree|--namespace)$/.test(args[at] ?? "") ? 2 : 1;
  }
  return args.slice(at);
}

const dockerReads =
  "ps images logs inspect version info stats top port diff history events search build pull tag wait";
const dockerGroups = new Map<string, string>([
  ["", dockerReads],
  ["image", "ls list inspect history pull build tag"],
  ["container", "ls list ps inspect logs top stats port diff wait"],
  ["network", "ls list inspect"],
  ["volume", "ls list inspect"],
  ["system", "df info events"],
  ["context", "ls inspect show"],
  ["compose", "ps logs config images top port version ls build pull up start stop restart events"],
]);

function isSafeDocker(args: readonly string[]): boolean {
  const words = args.filter((arg) => !arg.startsWith("-"));
  const [first = "", second = ""] = words;
  const isGroup = first !== "" && dockerGroups.has(first);
  // Options before the command may take a word: then it is not known which word is the command.
  const start = args.indexOf(first);
  if (start > 0) return /^(--version|--help|-v)$/.test(args[0] ?? "");
  if (args.length === 0 || start === -1) return true;
  if (!isGroup) return dockerGroups.get("")?.split(" ").includes(first) === true;
  return args[1] === second && dockerGroups.get(first)?.split(" ").includes(second) === true;
}
