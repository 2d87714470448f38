/** Finds files for the `@` being written; a new query ends the previous search. */

import type { Actions } from "../store/actions.ts";
import { tokenAt } from "./offers.ts";
import type { PromptState } from "./prompt-state.ts";

export interface FileOffersOptions extends Pick<Actions, "findFiles"> {
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
}

/** @returns what to call after every change of the prompt. */
export function fileOffers({ findFiles, get, show }: FileOffersOptions): () => void {
  let running: { readonly query: string | undefined; readonly search: AbortController } | undefined;
  const find = async (query: string, signal: AbortSignal): Promise<void> => {
    for await (const { paths, notes, total } of findFiles(query, signal)) {
      if (signal.aborted) return;
      const prompt = get();
      const chosen = Math.max(0, Math.min(prompt.chosen, paths.length - 1));
      show({ ...prompt, found: { query, paths, notes, total }, chosen });
    }
  };
  return () => {
    const prompt = get();
    const token = tokenAt(prompt.editor.text, prompt.editor.cursor);
    const query = token?.kind === "file" ? token.query : undefined;
    if (query === running?.query) return;
    running?.search.abort();
    running = { query, search: new AbortController() };
    if (query !== undefined) void find(query, running.search.signal);
    else if (prompt.found !== undefined) show({ ...prompt, found: undefined });
  };
}
