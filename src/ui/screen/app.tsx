/** The screen: finished items above, in the terminal's own scrollback; the live region below. */

import { Static, type SuspendTerminal, Text, useApp, useCursor, useStdout } from "ink";
import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import type { PromptKeys } from "../input/prompt-keys.ts";
import type { PromptState } from "../input/prompt-state.ts";
import type { CommandRow } from "../store/actions.ts";
import type { Store } from "../store/store.ts";
import type { LinePlaceholders } from "../terminal/line-placeholders.ts";
import type { ThemeSource } from "../theme.ts";
import { frame } from "../views/frame.ts";
import { isTimed } from "../views/progress.ts";
import { useClock, usePrompt } from "./hooks.ts";
import type { KeyEcho } from "./key-echo.ts";
import type { Printer } from "./printer.ts";
import type { Region } from "./resizing.ts";

export interface AppProps {
  readonly store: Store;
  readonly keys: PromptKeys;
  /** They change with the MCP servers. */
  readonly commands: () => readonly CommandRow[];
  readonly themes: ThemeSource;
  readonly placeholders: LinePlaceholders;
  readonly printer: Printer;
  readonly echo: KeyEcho;
  /** Called after each draw with what is on the screen. */
  readonly onDrawn: (region: Region) => void;
  /** Called with the function that lends the terminal to something else. */
  readonly onReady: (suspend: SuspendTerminal) => void;
  /** The sequence that removes pictures before the transcript is written again. */
  readonly erasePictures: () => string;
}

export function App({
  store,
  keys,
  commands,
  themes,
  placeholders,
  printer,
  echo,
  onDrawn,
  onReady,
  erasePictures,
}: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const theme = useSyncExternalStore(themes.subscribe, themes.get);
  const prompt = usePrompt(keys, echo.subscribe);
  const clock = useClock(isTimed(state));
  const view = useMemo(
    () => ({ theme, width: state.size.columns, isExpanded: state.isExpanded, now: clock }),
    [theme, state.size.columns, state.isExpanded, clock],
  );
  const chunks = printer.take(state, view);
  const { unprinted, isTight: isTightAbove } = printer;
  const frameWith = (shown: PromptState) =>
    frame({ state, prompt: shown, commands: commands(), view, unprinted, isTightAbove });
  const block = frameWith(prompt);
  const { lines, cursor } = block;
  echo.draw({
    block,
    width: state.size.columns,
    with: frameWith,
    isCurrent: () => store.get() === state && themes.get() === theme,
  });
  const { suspendTerminal } = useApp();
  useLayoutEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  const { write } = useStdout();
  useLayoutEffect(() => {
    const text = printer.drawn(state, view, state.size.rows - lines.length - 1, erasePictures);
    if (text !== undefined) write(text);
    onDrawn({
      block,
      linesAbove: printer.lineCount,
      clearings: printer.clearings,
      lastAbove: (count) => printer.lastLines(count),
    });
  });
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return (
    <>
      <Static key={chunks.key} items={chunks.items}>
        {({ id, lines: printed }) => <Text key={id}>{printed.join("\n") || " "}</Text>}
      </Static>
      <Text>{placeholders.of(lines, state.size.columns, cursor)}</Text>
    </>
  );
}
