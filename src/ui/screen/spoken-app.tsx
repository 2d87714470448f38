/** The screen for a screen reader: lines that are only added, and the prompt below them. */

import { Text, useApp, useCursor, useStdout } from "ink";
import { useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { Speech } from "../speech/speech.ts";
import { spokenFrame } from "../speech/spoken-frame.ts";
import { spokenTheme } from "../speech/words.ts";
import type { AppProps } from "./app.tsx";
import { usePrompt } from "./hooks.ts";

export function SpokenApp({ store, keys, onDrawn, onReady }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const prompt = usePrompt(keys);
  const speech = useRef(new Speech());
  const { write } = useStdout();
  const { suspendTerminal } = useApp();
  useLayoutEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  useLayoutEffect(() => {
    const lines = speech.current.take(state);
    if (lines.length > 0) write(lines.map((line) => `${line}\n`).join(""));
  }, [state, write]);
  const view = useMemo(
    () => ({ theme: spokenTheme, width: state.size.columns, isExpanded: true, now: 0 }),
    [state.size.columns],
  );
  const { lines, cursor } = spokenFrame(state, prompt, view);
  useLayoutEffect(() => onDrawn({ block: { lines, cursor }, linesAbove: state.finished.length }));
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return <Text>{lines.join("\n")}</Text>;
}
