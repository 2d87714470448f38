/** Finds files for the `@` being written; a new query ends the previous search. */

import type { Actions } from "../store/actions.ts";
import { tokenAt } from "./offers.ts";
import type { PromptState } from "./prompt-state.ts";

export interface FileOffersOptions {
  readonly findFiles: Actions["findFiles"];
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
}

export class FileOffers {
  readonly #options: FileOffersOptions;
  /** The query of the running search. */
  #query: string | undefined;
  #search: AbortController | undefined;

  constructor(options: FileOffersOptions) {
    this.#options = options;
  }

  /** After every change of the prompt. */
  follow(): void {
    const { get, show } = this.#options;
    const prompt = get();
    const token = tokenAt(prompt.editor.text, prompt.editor.cursor);
    const query = token?.kind === "file" ? token.query : undefined;
    if (query === this.#query) return;
    this.#query = query;
    this.#search?.abort();
    if (query === undefined) {
      if (prompt.found !== undefined) show({ ...prompt, found: undefined });
      return;
    }
    this.#search = new AbortController();
    void this.#find(query, this.#search.signal);
  }

  async #find(query: string, signal: AbortSignal): Promise<void> {
    const { findFiles, get, show } = this.#options;
    for await (const paths of findFiles(query, signal)) {
      if (signal.aborted) return;
      const prompt = get();
      const chosen = Math.max(0, Math.min(prompt.chosen, paths.length - 1));
      show({ ...prompt, found: { query, paths }, chosen });
    }
  }
}
