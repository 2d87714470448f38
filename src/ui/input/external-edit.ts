/** Ctrl+G: the prompt in the user's own editor. */

import { expandPastes } from "../editor/paste.ts";
import { replaceText } from "../editor/state.ts";
import type { Actions } from "../store/actions.ts";
import type { Store } from "../store/store.ts";
import type { TakeTerminal } from "./prompt-keys.ts";
import { changed, type PromptState } from "./prompt-state.ts";

export interface ExternalEditOptions {
  readonly store: Store;
  readonly actions: Pick<Actions, "editExternally">;
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
  readonly withTerminal: TakeTerminal;
}

export async function editExternally(options: ExternalEditOptions): Promise<void> {
  const { store, actions, get, show, withTerminal } = options;
  const before = expandPastes(get().editor);
  let failure: string | undefined;
  await withTerminal(async ({ signal }) => {
    const outcome = await actions.editExternally(before, signal);
    failure = outcome.failure;
    if (outcome.text === undefined) return;
    show(changed(get(), replaceText(get().editor, outcome.text)));
  });
  // Shown when omp has the screen again: before, the whole transcript would have to be written again.
  if (failure !== undefined) store.dispatch({ type: "notice", tone: "warning", text: failure });
}
