/** Waiting until omp has finished and the screen shows it: the last word of an answer appears before the turn ends. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestPlace } from "./home.ts";
import type { Screen } from "./screen.ts";

/** Whether something takes a second, and is shown with its time, depends on the machine. @returns the text without times. */
export function withoutTimes(text: string): string {
  return text
    .replace(new RegExp(` · ${TIME}`, "g"), "")
    .replace(new RegExp(`${TIME} · `, "g"), "")
    .replace(new RegExp(`^▸ ${TIME}\\n+`, "gm"), "")
    .replace(new RegExp(` (?:after|for) ${TIME}`, "g"), "");
}

/** What omp prints of a second or more. */
const TIME = "(?:\\d+ min \\d+ s|\\d+(?:\\.\\d)? s)(?![a-z])";

/** The line below the prompt, whatever it says. */
export const statusLine = /^(?:.* {2})?(?:script:|demo).*$(?!\n)/m;

/** The kernel has started, and runs nothing: the status line says at most how many cells have run in it. */
export function hasIdleKernel({ raw, text }: Screen): boolean {
  const status = statusLine.exec(text)?.[0] ?? "";
  return STARTING.test(raw) && status !== "" && !/Python(?: [\d.]+)?(?: at \w+)? [a-z]/.test(status);
}

const STARTING = /Python(?: [\d.]+)?(?: at \w+)? starting/;

/** Makes omp ring the bell whenever something ends: the screen does not always show the end of something quick. */
export function ringWhenDone({ home }: TestPlace): void {
  const file = join(home, ".omp/agent/omp.jsonc");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ui: { notifyAfter: 0 } }));
}

/** Enters something while nothing runs and waits until it is done and drawn; omp must ring (`ringWhenDone`). */
export async function done(screen: Screen, entered: string): Promise<void> {
  // What ran before may ring after its last line; and a key that follows closely upon Enter makes a paste of both.
  await screen.waitFor(isIdle);
  await upToDate(screen);
  const { bells } = screen;
  screen.type(`${entered}\r`);
  await screen.waitFor((now) => now.bells > bells);
  await upToDate(screen);
}

/** A command may go on after its last line, and the prompt takes keys meanwhile; the title of the terminal says when it has ended. */
function isIdle({ raw }: Screen): boolean {
  return !/^[*?] /.test(raw.slice(raw.lastIndexOf(TITLE) + TITLE.length));
}

const TITLE = "\x1b]0;";

/** Resolves when everything that has happened so far is on the screen: a typed key is drawn together with it. */
export async function upToDate(screen: Screen): Promise<void> {
  screen.type("~");
  await screen.waitFor(/^❯ ~$/m);
  screen.type("\x7f");
  await screen.waitFor(/^❯ Ask/m);
}

export interface Twice {
  /** Shown after the first press, for two seconds. */
  readonly hint: string;
  readonly isDone: (screen: Screen) => boolean;
}

/** Presses a key that takes effect when pressed twice within two seconds; again when the machine was held up for longer. */
export async function pressTwice(screen: Screen, key: string, { hint, isDone }: Twice): Promise<void> {
  const isHintGone = ({ text }: Screen) => /(?:\n| {2})(?:script:|ollama\/|starting)[^\n]*$/.test(text);
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
  const hint = "Press Ctrl+C again to quit";
  await pressTwice(screen, "\x03", { hint, isDone: ({ hasEnded }) => hasEnded });
  return await screen.ended();
}

/** Answers the question on the screen, once its answers count. @param label how the answer begins. */
export async function answerWith(screen: Screen, label: string): Promise<void> {
  await screen.waitFor((now) => chosenAnswer(now) !== undefined);
  const first = chosenAnswer(screen);
  for (let chosen = first; !chosen?.startsWith(label); ) {
    const before = chosen;
    screen.type("\x1b[B");
    await screen.waitFor((now) => chosenAnswer(now) !== before);
    chosen = chosenAnswer(screen);
    if (chosen === first) throw new Error(`there is no answer ${label}:\n${screen.text}`);
  }
  screen.type("\r");
}

/** The marked answer of a question; undefined while keys do not count. */
function chosenAnswer({ text }: Screen): string | undefined {
  const above = /^([\s\S]*)^(?:Up, Down and Enter|Up or Down) to answer/m.exec(text)?.[1] ?? "";
  const marked = above.split("\n").findLast((line) => /^[❯>─-]/.test(line)) ?? "";
  return /^[❯>] (.*)$/.exec(marked)?.[1];
}
