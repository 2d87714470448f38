/**
 * The last resort for a text that is not shell to the parser: the same rules on its words, wherever they stand. Takes
 * strings for commands rather than miss a command.
 */

import { checkCommand, type Danger } from "./danger-rules.ts";
import { excerptOf } from "./reading.ts";
import type { ShellPlace } from "./shell-state.ts";
import { fieldsOf, unknown, unquoted } from "./word-value.ts";

const scanned =
  /(?:^|\/)(?:g?rm|find|chmod|chown|chgrp|mv|dd|cp|tee|shred|truncate|wipefs|blkdiscard|sgdisk|mke2fs|mkswap|mkfs(?:\..*)?)$/;
const forkBomb = /([^\s(){};|&]{1,64})\s{0,9}\(\s{0,9}\)\s{0,9}\{[^}]{0,200}?\1\s{0,9}\|\s{0,9}\1/;
const worthScanning =
  />|rm|find|ch(?:mod|own|grp)|mv|dd|cp|tee|shred|truncate|wipefs|blkdiscard|sgdisk|mk(?:fs|e2fs|swap)/;
const wordLimit = 100;
/** Of all commands together: the same text has the same answer on every machine. */
export const checkLimit = 500_000;

export function scanText(text: string, place: ShellPlace): Danger | undefined {
  const bomb = forkBomb.exec(text);
  if (bomb !== null) return { ...bombFound, excerpt: excerptOf(bomb[0]) };
  let checked = 0;
  for (const piece of text.split(/[;|&\n()`]+/)) {
    if (!worthScanning.test(piece)) continue;
    const redirections = [...piece.matchAll(/>\s{0,9}([^\s<>"']+)/g)].map(([, target = ""]) => ({
      operator: ">",
      targets: [target],
    }));
    const words = piece.split(/[\s<>]+/).flatMap((word) => wordsOf(word, place));
    const starts = words.flatMap((word, index) => (scanned.test(word) ? [index] : []));
    for (const start of redirections.length > 0 ? [-1, ...starts] : starts) {
      const argv = start === -1 ? [] : words.slice(start, start + wordLimit);
      checked += argv.length;
      if (checked > checkLimit) return { ...tooMuch, excerpt: excerptOf(text) };
      const danger = checkCommand(
        {
          argv,
          redirections: start === -1 ? redirections : [],
          directories: [place.cwd],
          excerpt: excerptOf(piece),
        },
        place.home,
      );
      if (danger !== undefined) return danger;
    }
  }
  return undefined;
}

export const bombFound = {
  pattern: "fork-bomb",
  reason: "it is a fork bomb: a function that starts itself without end",
} as const;

/** What takes that long to check is nothing that somebody wrote, and it might hide anything. */
export const tooMuch = {
  pattern: "unreadable",
  reason: "it is too long and tangled to be checked",
} as const;

function wordsOf(source: string, { home }: ShellPlace): string[] {
  const plain = source.replace(/["']|\$(?=["'])/g, "");
  if (plain === "" || plain === "{" || plain === "}") return [];
  const known = plain
    .replace(/\$HOME\b|\$\{HOME[^}]{0,100}\}/g, () => home)
    .replace(/\$\{[^}]{0,200}\}|\$\w+/g, unknown);
  return fieldsOf(unquoted(known), { quoted: false }).map((field) => field.replace(/^~(?=\/|$)/, () => home));
}
