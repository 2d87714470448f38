/** The prompt, fed by the keyboard. */

import { useInput, usePaste } from "ink";
import { useSyncExternalStore } from "react";
import type { PromptKeys } from "../input/prompt-keys.ts";
import type { PromptState } from "../input/prompt-state.ts";

export function usePrompt(keys: PromptKeys): PromptState {
  useInput((input, key) => keys.receive({ input, key }));
  usePaste((text) => keys.press({ kind: "paste", text }));
  return useSyncExternalStore(keys.subscribe, keys.get);
}
