/** The screen: finished items above, in the terminal's own scrollback; the live region below. */

import { Static, type SuspendTerminal, Text, useApp, useCursor } from "ink";
import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import type { PromptKeys } from "../input/prompt-keys.ts";
import type { CommandRow } from "../store/actions.ts";
import type { Store } from "../store/store.ts";
import type { LinePlaceholders } from "../terminal/line-placeholders.ts";
import type { ThemeSource } from "../theme-source.ts";
import { frame } from "../views/frame.ts";
import { lastPrinted, printed } from "../views/printed.ts";
import { isTimed } from "../views/progress.ts";
import { useClock, usePrompt } from "./hooks.ts";
import type { Region } from "./resizing.ts";
import { useRedraw } from "./use-redraw.ts";

export interface AppProps {
  readonly store: Store;
  readonly keys: PromptKeys;
  readonly commands: readonly CommandRow[];
  readonly themes: ThemeSource;
  readonly placeholders: LinePlaceholders;
  /** Told what is on the screen then. */
  readonly onDrawn: (region: Region) => void;
  /** Told how to get the terminal for oneself. */
  readonly onReady: (suspend: SuspendTerminal) => void;
  /** What takes pictures off the screen before it is drawn anew. */
  readonly erasePictures: () => string;
}

export function App({
  store,
  keys,
  commands,
  themes,
  placeholders,
  onDrawn,
  onReady,
  erasePictures,
}: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const theme = useSyncExternalStore(themes.subscribe, themes.get);
  const prompt = usePrompt(keys);
  const clock = useClock(isTimed(state));
  const view = useMemo(
    () => ({ theme, width: state.size.columns, isExpanded: state.isExpanded, now: clock }),
    [theme, state.size.columns, state.isExpanded, clock],
  );
  const { finished, redrawn } = state;
  const fresh = useMemo(() => finished.slice(redrawn), [finished, redrawn]);
  const { lines, cursor } = frame({ state, prompt, commands, view });
  const { suspendTerminal } = useApp();
  useLayoutEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  const above = useRedraw(state, view, { frameHeight: lines.length, erasePictures });
  useLayoutEffect(() =>
    onDrawn({
      block: { lines, cursor },
      linesAbove: above.current.lines,
      lastAbove: (count) => lastPrinted(finished, view, count),
    }),
  );
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return (
    <>
      <Static key={state.redraws} items={fresh}>
        {(item) => <Text key={item.id}>{printed(item, view).join("\n")}</Text>}
      </Static>
      <Text>{placeholders.of(lines, state.size.columns, cursor)}</Text>
    </>
  );
}
