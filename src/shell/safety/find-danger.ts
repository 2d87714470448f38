/** Is this command one that must not run? The answer for people: pattern, reason, and the part that does it. */

import { checkCommand, type Danger } from "./danger-rules.ts";
import { excerptOf, type FollowedCommand, Follower, type Reading, WORD_LIMIT } from "./follow.ts";
import { withoutMarks } from "./marks.ts";
import type { ShellPlace } from "./shell-state.ts";

/** Of all commands together: the same text has the same answer on every machine. */
const CHECK_LIMIT = 300_000;
/** Of the commands in a text that is not shell all words are looked at, up to so many together; then only the first of each. */
const SCAN_TOTAL = 50_000;
const SCAN_LIMIT = 100;
const SCANNED =
  /(?:^|\/)(?:g?rm|find|chmod|chown|chgrp|mv|dd|cp|tee|shred|truncate|wipefs|blkdiscard|sgdisk|mke2fs|mkswap|mkfs(?:\..*)?)$/;
const WORTH_SCANNING =
  />|rm|find|ch(?:mod|own|grp)|mv|dd|cp|tee|shred|truncate|wipefs|blkdiscard|sgdisk|mk(?:fs|e2fs|swap)/;
const BOMB = /([^\s(){};|&]{1,64})\s{0,9}\(\s{0,9}\)\s{0,9}\{[^}]{0,200}?\1\s{0,9}\|\s{0,9}\1/;

const bombFound = {
  pattern: "fork-bomb",
  reason: "it is a fork bomb: a function that starts itself without end",
} as const;
/** What takes that long to check is nothing that somebody wrote, and it might hide anything. */
const tooMuch = { pattern: "unreadable", reason: "it is too long and tangled to be checked" } as const;

/** Follows a command once, for all who ask about it. */
export function readShell(command: string, place: ShellPlace): Reading {
  return new Follower().follow(command, place);
}

export function findDanger(command: string, place: ShellPlace): Danger | undefined {
  return dangerIn(readShell(command, place), place);
}

export function dangerIn(reading: Reading, place: ShellPlace): Danger | undefined {
  const [bomb] = reading.forkBombs;
  if (bomb !== undefined) return { ...bombFound, excerpt: bomb };
  const found = check(reading.commands, place);
  if (found !== undefined) return found;
  for (const text of reading.unread) {
    const danger = scan(withoutMarks(text), place);
    if (danger !== undefined) {
      return { ...danger, reason: `${danger.reason}, as far as a text that is not valid shell can tell` };
    }
  }
  return undefined;
}

function check(commands: Iterable<FollowedCommand | undefined>, { home }: ShellPlace): Danger | undefined {
  let checked = 0;
  for (const command of commands) {
    const { argv = [], excerpt = "" } = command ?? {};
    checked += argv.length;
    const isTooMuch = command === undefined || checked > CHECK_LIMIT || argv.length > WORD_LIMIT;
    const danger = isTooMuch ? { ...tooMuch, excerpt } : checkCommand(command, home);
    if (danger !== undefined) return danger;
  }
  return undefined;
}

/**
 * The last resort for a text that is not shell: the same rules on its words, wherever they stand. Takes strings for commands rather
 * than miss a command.
 */
function scan(text: string, place: ShellPlace): Danger | undefined {
  const bomb = BOMB.exec(text);
  return bomb === null
    ? check(everyStart(text, place), place)
    : { ...bombFound, excerpt: excerptOf(bomb[0]) };
}

/** Undefined where there are more than can be followed. */
function* everyStart(text: string, place: ShellPlace): Generator<FollowedCommand | undefined> {
  let total = 0;
  for (const piece of text.split(/[;|&\n()`]+/)) {
    if (!WORTH_SCANNING.test(piece)) continue;
    // As words of a command that does nothing, keywords have no meaning.
    const bare = `: ${piece.replace(/["'{}]|\$\{|<+/g, " ")}`;
    const { commands, isCut } = readShell(bare, { ...place, isOpen: true });
    if (isCut) yield undefined;
    for (const command of commands) {
      const whole = { ...command, excerpt: excerptOf(piece) };
      yield { ...whole, argv: [] };
      for (const [at, word] of command.argv.entries()) {
        if (!SCANNED.test(word)) continue;
        // What has more words than are read might hide anything behind them.
        if (command.argv.length > WORD_LIMIT) yield undefined;
        const end = total < SCAN_TOTAL ? command.argv.length : at + SCAN_LIMIT;
        total += end - at;
        yield { ...whole, argv: command.argv.slice(at, end), redirections: [] };
      }
    }
  }
}
