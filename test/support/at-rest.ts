/** When omp has done what it was asked for, and when the screen shows that: the last word of an answer is there earlier than its end. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestPlace } from "./home.ts";
import type { Screen } from "./screen.ts";

/** However long something took. */
export const someTime = /\d+ min \d+ s|\d+ ms|\d+(?:\.\d)? s(?![a-z])/g;

/** From its start in this place on, omp rings whenever something has ended: of what is quick the screen does not tell. */
export function ringWhenDone({ home }: TestPlace): void {
  const file = join(home, ".omp/agent/settings.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ui: { notifyAfter: 0 } }));
}

/** Enters something where omp rings, when nothing runs, and waits until it is done and drawn. */
export async function done(screen: Screen, entered: string): Promise<void> {
  const { bells } = screen;
  screen.type(`${entered}\r`);
  await screen.waitFor((now) => now.bells > bells);
  await upToDate(screen);
}

/** Everything that has happened until now is on the screen: a key is drawn with all of it. */
export async function upToDate(screen: Screen): Promise<void> {
  screen.type("~");
  await screen.waitFor(/^❯ ~$/m);
  screen.type("\x7f");
  await screen.waitFor(/^❯ Ask/m);
}

export interface Twice {
  /** What is said after the first time, for two seconds. */
  readonly hint: string;
  readonly isDone: (screen: Screen) => boolean;
}

/** A key that counts when it is pressed twice within two seconds: anew when the machine was held up for longer than that. */
export async function pressTwice(screen: Screen, key: string, { hint, isDone }: Twice): Promise<void> {
  const isHintGone = ({ text }: Screen) => /\n(?:script:|starting)[^\n]*$/.test(text);
  while (!isDone(screen)) {
    screen.type(key);
    await screen.waitFor((now) => isDone(now) || now.text.includes(hint));
    if (isDone(screen)) return;
    screen.type(key);
    await screen.waitFor((now) => isDone(now) || isHintGone(now));
  }
}

/** @returns the exit code. */
export async function quitByCtrlC(screen: Screen): Promise<number> {
  const hint = "Ctrl+C again quits";
  await pressTwice(screen, "\x03", { hint, isDone: ({ hasEnded }) => hasEnded });
  return await screen.ended();
}
