/** Starts the screen, and stops it so that the terminal is as it was. */

import { render, type SuspendTerminal } from "ink";
import type { Keymap } from "../editor/keymap.ts";
import { type OwnTerminal, PromptKeys } from "../input/prompt-keys.ts";
import type { PagerScreenOptions } from "../pager/screen.ts";
import type { Actions, PagedOutput, PagedText } from "../store/actions.ts";
import type { Store } from "../store/store.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import { LinePlaceholders } from "../terminal/line-placeholders.ts";
import type { Reflow } from "../terminal/reflow.ts";
import type { ThemeSource } from "../theme.ts";
import { App } from "./app.tsx";
import { KeyEcho } from "./key-echo.ts";
import { Printer } from "./printer.ts";
import { Resizing } from "./resizing.ts";
import { SpokenApp } from "./spoken-app.tsx";
import { transcriptText } from "./transcript.ts";

export interface UiOptions {
  readonly store: Store;
  readonly actions: Actions;
  readonly themes: ThemeSource;
  readonly keymap: Keymap;
  readonly keyboard: Keyboard;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** What the terminal does when its window becomes narrower, as far as known. */
  readonly reflow: () => Reflow;
  /** The sequence that removes pictures before the transcript is written again. */
  readonly erasePictures: () => string;
  /** Called for a bug while drawing, when the screen is already gone. */
  readonly onCrash: (error: unknown) => void;
  /** For a screen reader: lines are only added. */
  readonly isScreenReader?: boolean;
}

export interface Ui {
  /** Resolves when everything drawn so far has been written. */
  flushed(): Promise<void>;
  /** A file on the whole screen, until the user closes it. */
  showPager(output: PagedOutput | PagedText): Promise<void>;
  stop(): Promise<void>;
}

/** Keys show at once, also while something prints: the store limits streamed output to a few frames a second. */
const MAX_FPS = 120;

export function startUi({
  store,
  actions,
  themes,
  keymap,
  keyboard,
  stdin,
  stdout,
  reflow,
  erasePictures,
  onCrash,
  isScreenReader = false,
}: UiOptions): Ui {
  // Ink does this after its first frame, which is too late for a key pressed as soon as the prompt is visible.
  stdin.setRawMode(true);
  const resizing = new Resizing({ store, stdout, reflow });
  const keys = new PromptKeys(store, actions, keymap);
  keys.isSpoken = isScreenReader;
  let wasInterrupted = false;
  /** Aborted when omp ends: whatever has the terminal gives it back. */
  const ending = new AbortController();
  let lent: Promise<unknown> = Promise.resolve();
  let isLent = false;
  const { signal } = ending;
  const terminal: OwnTerminal = {
    signal,
    showPager: (output) =>
      page({ ...output, source: "path" in output ? { path: output.path } : { text: output.text } }),
    showTranscript: () => {
      const theme = themes.get();
      const text = transcriptText(store.get(), { theme, width: stdout.columns || 80, now: Date.now() });
      return page({ source: { text }, title: "Transcript" });
    },
  };
  const page = async (shown: Pick<PagerScreenOptions, "source" | "title" | "isGrowing">): Promise<void> => {
    const { showPager } = await import("../pager/screen.ts");
    const exit = await showPager({ ...shown, theme: themes.get(), stdin, stdout, signal });
    wasInterrupted = exit === "interrupt";
  };
  const onReady = (suspend: SuspendTerminal) => {
    keys.takeTerminal = async (work) => {
      keyboard.giveAway();
      isLent = true;
      printer.isHeld = true;
      try {
        const done = suspend(() =>
          work(terminal).finally(() => stdout.write(freshLine(stdout.columns || 80))),
        );
        lent = done.catch(() => undefined);
        await done;
      } finally {
        isLent = false;
        printer.isHeld = false;
        keyboard.takeBack();
        // A question that has opened meanwhile was not seen.
        keys.question.restart();
      }
      // What ended meanwhile is printed now.
      store.dispatch({ type: "hint", text: store.get().hint });
      // Ctrl+C in the pager is the first of two, as elsewhere.
      if (wasInterrupted) keys.press({ kind: "command", command: "interrupt" });
      wasInterrupted = false;
    };
  };
  const others = stdout.listeners("resize");
  const placeholders = new LinePlaceholders(stdout);
  const printer = new Printer();
  const echo = new KeyEcho({
    keys,
    write: (text) => void stdout.write(text),
    onEchoed: (block, before) => {
      resizing.onEchoed(block);
      placeholders.forget(before.lines[before.cursor?.y ?? -1] ?? "");
    },
  });
  const Shown = isScreenReader ? SpokenApp : App;
  const app = render(
    <Shown
      store={store}
      keys={keys}
      commands={() => actions.commands}
      themes={themes}
      placeholders={placeholders}
      printer={printer}
      echo={echo}
      onDrawn={resizing.onDrawn}
      onReady={onReady}
      erasePictures={erasePictures}
    />,
    {
      stdin,
      stdout: placeholders.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      incrementalRendering: true,
      interactive: true,
      // Ink's own mode would read the whole frame again with every change.
      isScreenReaderEnabled: false,
      maxFps: MAX_FPS,
      onRender: echo.written,
    },
  );
  // Ink's own listener would first draw the old frame, which may not fit the new width.
  for (const listener of stdout.listeners("resize"))
    if (!others.includes(listener)) stdout.off("resize", listener as () => void);
  const onResize = () => {
    resizing.resize(isLent ? undefined : app);
    void app.waitUntilRenderFlush();
  };
  stdout.on("resize", onResize);
  const exited = app.waitUntilExit().then(() => undefined, onCrash);
  return {
    flushed: () => app.waitUntilRenderFlush(),
    showPager: (output) => keys.takeTerminal((terminal) => terminal.showPager(output)),
    stop: async () => {
      ending.abort();
      await lent;
      stdout.off("resize", onResize);
      keyboard.giveAway();
      store.dispatch({ type: "ending" });
      await app.waitUntilRenderFlush();
      app.unmount();
      await exited;
    },
  };
}

/**
 * Moves to the start of an unused line, wherever the cursor is: as many spaces as a line has end in the next line, unless they start in
 * the first column. Another program may have left the cursor in the middle of a line, and a frame that starts there would be drawn a
 * row too high from then on.
 */
function freshLine(columns: number): string {
  return `${" ".repeat(columns)}\r`;
}
