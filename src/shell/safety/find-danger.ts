/** Is this command one that must not run? The answer for people: pattern, reason, and the part that does it. */

import { checkCommand, type Danger } from "./danger-rules.ts";
import { loadParser } from "./parser.ts";
import { readPlainWords } from "./plain-words.ts";
import type { Reading } from "./reading.ts";
import { readScript } from "./script-reader.ts";
import type { ShellPlace } from "./shell-state.ts";
import { bombFound, checkLimit, scanText, tooMuch } from "./text-scan.ts";
import { withoutMarks } from "./word-value.ts";

/** Reads a command once, for all who ask about it. Loads the parser with the first one that is more than plain words. */
export async function readShell(command: string, place: ShellPlace): Promise<Reading> {
  return readPlainWords(command, place) ?? readScript(command, place, await loadParser());
}

export async function findDanger(command: string, place: ShellPlace): Promise<Danger | undefined> {
  return dangerIn(await readShell(command, place), place);
}

export function dangerIn(reading: Reading, place: ShellPlace): Danger | undefined {
  const [bomb] = reading.forkBombs;
  if (bomb !== undefined) return { ...bombFound, excerpt: bomb };
  let checked = 0;
  for (const command of reading.commands) {
    checked += command.argv.length;
    if (checked > checkLimit) return { ...tooMuch, excerpt: command.excerpt };
    const danger = checkCommand(command, place.home);
    if (danger !== undefined) return danger;
  }
  for (const text of reading.unread) {
    const danger = scanText(withoutMarks(text), place);
    if (danger !== undefined) {
      return { ...danger, reason: `${danger.reason}, as far as a text that is not valid shell can tell` };
    }
  }
  return undefined;
}
