/** The dangerous patterns: what one command must not do. Only what is clearly a catastrophe; anything else is the user's business. */

import { destroysDisk } from "./disk-rules.ts";
import { findActions } from "./find-arguments.ts";
import type { FollowedCommand } from "./follow.ts";
import { anyText, everythingBelow } from "./marks.ts";
import { hasOption, optionsOf, programName } from "./options.ts";
import { type Reach, reachOf } from "./protected-paths.ts";

export type DangerPattern =
  | "recursive-delete"
  | "move-system"
  | "recursive-permissions"
  | "format-disk"
  | "write-disk"
  | "fork-bomb"
  /** Neither valid shell nor short enough to be searched. */
  | "unreadable";

export interface Danger {
  readonly pattern: DangerPattern;
  /** What would happen, in words that follow "blocked:". */
  readonly reason: string;
  readonly excerpt: string;
}

export type Found = Pick<Danger, "pattern" | "reason"> | undefined;

/** Every rule on one command. */
export function checkCommand(command: FollowedCommand, home: string): Danger | undefined {
  const { argv, directories, excerpt } = command;
  const name = programName(argv[0] ?? "");
  const reach = (field: string) => reachOf(field, { directories, home });
  const found = rules.get(name)?.(argv.slice(1), reach, name) ?? destroysDisk(command);
  return found === undefined ? undefined : { ...found, excerpt };
}

type ReachOf = (field: string) => Reach | undefined;

const rules = new Map<string, (args: readonly string[], reachOfField: ReachOf, name: string) => Found>([
  ["rm", deletes],
  ["grm", deletes],
  ["find", findDeletes],
  ["mv", moves],
  ["chmod", changesPermissions],
  ["chown", changesPermissions],
  ["chgrp", changesPermissions],
]);

function deletes(args: readonly string[], reachOfField: ReachOf): Found {
  const given = optionsOf(args);
  const isRecursive = hasOption(given, "rR", "recursive");
  for (const operand of given.operands) {
    const takesAll = isRecursive || operand.endsWith(everythingBelow);
    const reach = takesAll || operand.includes(anyText) ? reachOfField(operand) : undefined;
    if (reach !== undefined && (takesAll || (reach.vitalFiles && reach.part === "contents"))) {
      return { pattern: "recursive-delete", reason: `it would delete ${named(reach)}` };
    }
  }
  return undefined;
}

function findDeletes(args: readonly string[], reachOfField: ReachOf): Found {
  const { starts, deletes: isDelete, takesAll } = findActions(args);
  const [reach] = isDelete && takesAll ? starts.flatMap((start) => reachOfField(start) ?? []) : [];
  if (reach === undefined) return undefined;
  return { pattern: "recursive-delete", reason: `it would delete everything below ${reach.path}` };
}

function changesPermissions(args: readonly string[], reachOfField: ReachOf, name: string): Found {
  // `-x` takes a permission away, it is no option.
  const others = args.filter((word) => !/^-[rwxXst][rwxXst,=+-]*$/.test(word));
  const given = optionsOf(others);
  const hasMode = others.length === args.length && !hasOption(given, "", "reference");
  const [mode = ""] = hasMode ? given.operands : [];
  const isRecursive = hasOption(given, "R", "recursive");
  for (const operand of given.operands.slice(hasMode ? 1 : 0)) {
    const reach = isRecursive || operand.endsWith(everythingBelow) ? reachOfField(operand) : undefined;
    if (reach === undefined || reach.kind === "valuable") continue;
    // One's own home is opened to all, or it is one's own business.
    const isHome = reach.kind === "home" || reach.kind === "above-home";
    if (isHome && !(name === "chmod" && isWorldWritable(mode))) continue;
    const what = name === "chmod" ? "permissions" : "owner";
    return {
      pattern: "recursive-permissions",
      reason: `it would change the ${what} of all of ${named(reach)}`,
    };
  }
  return undefined;
}

/** 777, 0666, a+w, o=rwx. */
function isWorldWritable(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode.at(-1) ?? "0", 8) & 2) !== 0;
  return mode.split(",").some((clause) => /^([ug]*[oa][ugoa]*|)[+=][rxXst]*w/.test(clause));
}

function moves(args: readonly string[], reachOfField: ReachOf): Found {
  const given = optionsOf(args, { values: ["t", "S", "target-directory", "suffix"] });
  const intoOption = hasOption(given, "t", "target-directory");
  for (const source of given.operands.slice(0, intoOption ? undefined : -1)) {
    const reach = reachOfField(source);
    const isOwn = reach?.kind === "home" && reach.part === "contents";
    if (reach !== undefined && reach.kind !== "valuable" && !isOwn) {
      return { pattern: "move-system", reason: `it would move ${named(reach)} away` };
    }
  }
  return undefined;
}

function named({ path, part, kind }: Reach): string {
  const whole = kind === "home" ? "your home directory" : path;
  return part === "whole" ? whole : `everything in ${whole}`;
}
