/** What both screens follow: the prompt, and the time. */

import { useInput, usePaste } from "ink";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { PromptKeys } from "../input/prompt-keys.ts";
import type { PromptState } from "../input/prompt-state.ts";

const TICK_MS = 1_000;

/** The time, once a second while a running time is shown; otherwise nothing wakes up. */
export function useClock(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}

/** The prompt, fed by the keyboard. @param subscribe where not every key is to be followed at once. */
export function usePrompt(keys: PromptKeys, subscribe = keys.subscribe): PromptState {
  useInput((input, key) => keys.receive({ input, key }));
  usePaste((text) => keys.press({ kind: "paste", text }));
  return useSyncExternalStore(subscribe, keys.get);
}
