/** `input()` in the user's own cells: one line at a time, typed at the prompt. */

import { onAbort } from "../async/abort.ts";
import type { Store } from "../ui/store/store.ts";

export class TypedLines {
  readonly #store: Store;
  #waiting: ((line: string | undefined) => void) | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param signal of the cell. @returns undefined when it ended first. */
  async read(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    // Threads of a cell may ask at once: the newest is asked, the others go without.
    this.enter(undefined);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting = resolve;
    this.#store.dispatch({ type: "input", prompt });
    return await promise.finally(onAbort(signal, () => this.enter(undefined)));
  }

  enter(line: string | undefined): void {
    const answer = this.#waiting;
    if (answer === undefined) return;
    this.#waiting = undefined;
    this.#store.dispatch({ type: "input", prompt: undefined });
    answer(line);
  }
}
