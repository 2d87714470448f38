/** Lists to pick from: one at a time on the screen; opening another leaves the one before. */

import type { Picker } from "./picker-state.ts";
import { shownRows } from "./picker-state.ts";
import type { Store } from "./store.ts";

export interface Choice<Value> {
  readonly label: string;
  readonly description: string;
  readonly value: Value;
}

export interface PickOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** The one to begin with. */
  readonly first?: number;
  readonly sample?: string;
  /** Told of the one that is looked at. */
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
    const rows = choices.map(({ label, description }) => ({ label, description }));
    const picker: Picker = { id, title, rows, filter: "", chosen: Math.max(0, first), sample };
    this.#store.dispatch({ type: "picker_opened", picker });
    const unsubscribe = onMove ? this.#watch(id, (row) => this.#moved(choices[row], onMove)) : undefined;
    try {
      const row = await promise;
      return row === undefined ? undefined : choices[row]?.value;
    } finally {
      unsubscribe?.();
    }
  }

  picked(id: number, row: number | undefined): void {
    if (this.#open?.id !== id) return;
    const { picked } = this.#open;
    this.#open = undefined;
    this.#store.dispatch({ type: "picker_closed", id });
    picked(row);
  }

  #moved<Value>(choice: Choice<Value> | undefined, onMove: (value: Value) => void): void {
    if (choice) onMove(choice.value);
  }

  #watch(id: number, onMove: (row: number) => void): () => void {
    let last = -1;
    return this.#store.subscribe(() => {
      const { picker } = this.#store.get();
      const row = picker?.id === id ? shownRows(picker)[picker.chosen] : undefined;
      if (row === undefined || row === last) return;
      last = row;
      onMove(row);
    });
  }
}
