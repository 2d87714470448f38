/** The prompt while a cell of the user's waits for a line: what was being written is set aside, and is there again afterwards. */

import { expandPastes } from "../editor/paste.ts";
import type { Store } from "../store/store.ts";
import { emptyPrompt, type PromptState } from "./prompt-state.ts";

export interface LineInputOptions {
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
  readonly send: (line: string) => void;
}

export class LineInput {
  readonly #store: Store;
  readonly #options: LineInputOptions;
  #draft: PromptState | undefined;

  constructor(store: Store, options: LineInputOptions) {
    this.#store = store;
    this.#options = options;
    store.subscribe(() => this.#follow());
  }

  /** @returns false when no cell waits. */
  enter(): boolean {
    if (this.#store.get().input === undefined) return false;
    const line = expandPastes(this.#options.get().editor);
    this.#options.show(emptyPrompt);
    this.#options.send(line);
    return true;
  }

  #follow(): void {
    const isAsked = this.#store.get().input !== undefined;
    if (isAsked === (this.#draft !== undefined)) return;
    const { get, show } = this.#options;
    const next = this.#draft ?? emptyPrompt;
    this.#draft = isAsked ? get() : undefined;
    show(next);
  }
}
