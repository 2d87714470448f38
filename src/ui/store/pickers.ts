/** Lists to pick from: one at a time on the screen; opening another leaves the one before. */

import { type PickerRow, shownRows } from "./picker-state.ts";
import type { Store } from "./store.ts";

export interface Choice<Value> extends PickerRow {
  readonly value: Value;
}

export interface PickOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** The one to begin with. */
  readonly first?: number;
  readonly sample?: string;
  /** Called with the choice that the arrows move to. */
  readonly onMove?: (value: Value) => void;
}

export class Pickers {
  readonly #store: Store;
  #open: { readonly id: number; readonly picked: (row: number | undefined) => void } | undefined;
  #count = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined when the user leaves the list. */
  async pick<Value>(options: PickOptions<Value>): Promise<Value | undefined> {
    const { title, choices, first = 0, sample, onMove } = options;
    if (this.#open) this.picked(this.#open.id, undefined);
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.#open = { id, picked: resolve };
    const picker = { id, title, rows: choices, filter: "", chosen: Math.max(0, first), sample };
    this.#store.dispatch({ type: "picker_opened", picker });
    let last: Choice<Value> | undefined;
    const unsubscribe = this.#store.subscribe(() => {
      const { picker: shown } = this.#store.get();
      const choice = shown?.id === id ? choices[shownRows(shown)[shown.chosen] ?? -1] : undefined;
      if (choice === undefined || choice === last) return;
      last = choice;
      onMove?.(choice.value);
    });
    const row = await promise;
    unsubscribe();
    return choices[row ?? -1]?.value;
  }

  picked(id: number, row: number | undefined): void {
    if (this.#open?.id !== id) return;
    const { picked } = this.#open;
    this.#open = undefined;
    this.#store.dispatch({ type: "picker_closed", id });
    picked(row);
  }
}
