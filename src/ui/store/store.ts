/**
 * Holds the state and notifies its listeners: at once of what a person did, a few times a second of what streams, so that a
 * program that prints at full speed costs no more to show than one that prints slowly.
 */

import { isStreamed, type UiEvent } from "./event.ts";
import { reduce } from "./reduce.ts";
import type { UiState } from "./state.ts";

/** Nobody reads more than ten frames a second. */
const STREAM_INTERVAL_MS = 100;

export class Store {
  #state: UiState;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #toldAt = 0;

  constructor(state: UiState) {
    this.#state = state;
  }

  readonly get = (): UiState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly dispatch = (event: UiEvent): void => {
    this.#state = reduce(this.#state, event, Date.now());
    if (isStreamed(event)) this.#tellSoon();
    else this.#tell();
  };

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#toldAt + STREAM_INTERVAL_MS - Date.now());
    this.#timer = setTimeout(() => this.#tell(), wait);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#toldAt = Date.now();
    for (const listener of this.#listeners) listener();
  }
}
