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

type Found = Pick<Danger, "pattern" | "reason"> | undefined;

export function dangerOf(command: FollowedCommand, home: string): Found {
  const name = programName(command.argv[0] ?? "");
  const place = { directories: command.directories, home };
  const reach = (field: string) => reachOf(field, place);
  switch (name) {
    case "rm":
    case "grm":
      return deletes(command.argv, reach);
    case "find":
      return findDeletes(command.argv, reach);
    case "chmod":
    case "chown":
    case "chgrp":
      return changesPermissions(name, command.argv, reach);
    case "mv":
      return moves(command.argv, reach);
    default:
      return undefined;
  }
}

/** Every rule on one command. */
export function checkCommand(command: FollowedCommand, home: string): Danger | undefined {
  const found = dangerOf(command, home) ?? destroysDisk(command);
  return found === undefined ? undefined : { ...found, excerpt: command.excerpt };
}

type ReachOf = (field: string) => Reach | undefined;

function deletes(argv: readonly string[], reachOfField: ReachOf): Found {
  const given = optionsOf(argv.slice(1));
  const isRecursive = hasOption(given, "rR", "recursive");
  for (const operand of given.operands) {
    const oneByOne = operand.endsWith(everythingBelow);
    if (!isRecursive && !oneByOne && !operand.includes(anyText)) continue;
    const reach = reachOfField(operand);
    if (reach === undefined) continue;
    const filesMatter = reach.vitalFiles && reach.part === "contents";
    if (isRecursive || oneByOne || filesMatter) {
      return { pattern: "recursive-delete", reason: `it would delete ${named(reach)}` };
    }
  }
  return undefined;
}

function findDeletes(argv: readonly string[], reachOfField: ReachOf): Found {
  const { starts, deletes: isDelete, takesAll } = findActions(argv.slice(1));
  if (!isDelete || !takesAll) return undefined;
  for (const start of starts) {
    const reach = reachOfField(start);
    if (reach !== undefined) {
      return { pattern: "recursive-delete", reason: `it would delete everything below ${reach.path}` };
    }
  }
  return undefined;
}

function changesPermissions(name: string, argv: readonly string[], reachOfField: ReachOf): Found {
  // `-x` takes a permission away, it is no option.
  const words = argv.slice(1);
  const others = words.filter((word) => !/^-[rwxXst][rwxXst,=+-]*$/.test(word));
  const given = optionsOf(others);
  const hasMode = others.length === words.length && !hasOption(given, "", "reference");
  const mode = hasMode ? (given.operands[0] ?? "") : "";
  const operands = given.operands.slice(hasMode ? 1 : 0);
  const isRecursive = hasOption(given, "R", "recursive");
  const opensToAll = name === "chmod" && isWorldWritable(mode);
  for (const operand of operands) {
    const reach = reachOfField(operand);
    if (reach === undefined || !(isRecursive || operand.endsWith(everythingBelow))) continue;
    const isHome = reach.kind === "home" || reach.kind === "above-home";
    if (reach.kind === "root" || reach.kind === "vital" || (isHome && opensToAll)) {
      return {
        pattern: "recursive-permissions",
        reason: `it would change the ${name === "chmod" ? "permissions" : "owner"} of all of ${named(reach)}`,
      };
    }
  }
  return undefined;
}

/** 777, 0666, a+w, o=rwx. */
function isWorldWritable(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode.at(-1) ?? "0", 8) & 2) !== 0;
  return mode.split(",").some((clause) => /^([ug]*[oa][ugoa]*|)[+=][rxXst]*w/.test(clause));
}

function moves(argv: readonly string[], reachOfField: ReachOf): Found {
  const given = optionsOf(argv.slice(1), { values: ["t", "S", "target-directory", "suffix"] });
  const intoOption = hasOption(given, "t", "target-directory");
  for (const source of intoOption ? given.operands : given.operands.slice(0, -1)) {
    const reach = reachOfField(source);
    const isSystem = reach?.kind === "root" || reach?.kind === "vital" || reach?.kind === "above-home";
    if (isSystem || (reach?.kind === "home" && reach.part === "whole")) {
      return { pattern: "move-system", reason: `it would move ${named(reach)} away` };
    }
  }
  return undefined;
}

function named({ path, part, kind }: Reach): string {
  const whole = kind === "home" ? "your home directory" : path;
  return part === "whole" ? whole : `everything in ${whole}`;
}
