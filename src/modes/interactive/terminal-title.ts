/** The window's title while omp runs, and a bell when something long has ended. What the terminal had before comes back. */

import { basename } from "node:path";

const [SAVE_TITLE, RESTORE_TITLE] = ["\x1b[22;0t", "\x1b[23;0t"];
const BELL = "\x07";

/** After this long the user has probably turned to something else. */
const LONG_MS = 10_000;

export class TerminalTitle {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  set(cwd: string): void {
    const name = basename(cwd).replace(/\p{Cc}/gu, "");
    this.#write(`${SAVE_TITLE}\x1b]0;omp ${name}${BELL}`);
  }

  restore(): void {
    this.#write(RESTORE_TITLE);
  }

  ringAfter(durationMs: number): void {
    if (durationMs >= LONG_MS) this.#write(BELL);
  }
}
