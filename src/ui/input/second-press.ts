/** Keys that act when pressed twice, and the hint about the second press. */

import type { Store } from "../store/store.ts";

/** Within this time the second press counts as one. */
const AGAIN_MS = 2_000;

export class SecondPress {
  readonly #store: Store;
  #last = { command: "", at: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  isSecond(command: string): boolean {
    const { command: last, at } = this.#last;
    this.#last = { command, at: Date.now() };
    return last === command && Date.now() - at < AGAIN_MS;
  }

  /** Something was typed in between: the next press is the first again. */
  forget(): void {
    if (this.#last.command === "") return;
    this.#last = { command: "", at: 0 };
    this.hint(undefined);
  }

  hint(text: string | undefined): void {
    this.#store.dispatch({ type: "hint", text });
    clearTimeout(this.#timer);
    if (text === undefined) return;
    this.#timer = setTimeout(() => this.#store.dispatch({ type: "hint", text: undefined }), AGAIN_MS);
    this.#timer.unref();
  }
}
