/** The window's title while omp runs, and a word when something long has ended. What the terminal had before comes back. */

import { basename } from "node:path";
import type { Store } from "../store/store.ts";
import type { Environment } from "./environment.ts";
import { type NotificationOptions, notification } from "./notification.ts";

const [SAVE_TITLE, RESTORE_TITLE] = ["\x1b[22;0t", "\x1b[23;0t"];
const END = "\x07";

export interface TitleOptions {
  readonly write: (text: string) => void;
  readonly cwd: string;
  readonly env: Environment;
  /** As they are now. */
  readonly settings: () => { readonly notify: NotificationOptions["mode"]; readonly notifyAfter: number };
  /** What the terminal calls itself, when it has said so. */
  readonly version: () => string | undefined;
}

export class TerminalTitle {
  readonly #options: TitleOptions;
  readonly #name: string;

  constructor(options: TitleOptions) {
    this.#options = options;
    this.#name = `omp ${basename(options.cwd).replace(/\p{Cc}/gu, "")}`;
  }

  set(): void {
    this.#options.write(`${SAVE_TITLE}\x1b]0;${this.#name}${END}`);
  }

  restore(): void {
    this.#options.write(RESTORE_TITLE);
  }

  /** Nothing for what was quick: who waits a moment is still looking. */
  ended(durationMs: number): void {
    this.#notify("done", durationMs);
  }

  /** A question holds everything up, and nobody may be looking. */
  watchQuestions(store: Store): void {
    let last: number | undefined;
    store.subscribe(() => {
      const { question, activity } = store.get();
      if (question === undefined || question.id === last) return;
      last = question.id;
      this.#notify("needs an answer", Date.now() - (activity?.startedAt ?? Date.now()));
    });
  }

  #notify(what: string, durationMs: number): void {
    const { settings, env, version, write } = this.#options;
    const { notify: mode, notifyAfter } = settings();
    if (durationMs < notifyAfter * 1_000) return;
    const text = notification(`${this.#name}: ${what}`, { env, version: version(), mode });
    if (text !== "") write(text);
  }
}
