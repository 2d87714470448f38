/** Puts the screen up, and takes it down again so that the terminal is as it was. */

import { render, type SuspendTerminal } from "ink";
import type { Keymap } from "../editor/keymap.ts";
import { type OwnTerminal, PromptKeys } from "../input/prompt-keys.ts";
import type { Actions, PagedOutput } from "../store/actions.ts";
import type { Store } from "../store/store.ts";
import { freshLine } from "../terminal/fresh-line.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import { LinePlaceholders } from "../terminal/line-placeholders.ts";
import type { Reflow } from "../terminal/reflow.ts";
import type { ThemeSource } from "../theme-source.ts";
import { App } from "./app.tsx";
import { Resizing } from "./resizing.ts";
import { SpokenApp } from "./spoken-app.tsx";

export interface UiOptions {
  readonly store: Store;
  readonly actions: Actions;
  readonly themes: ThemeSource;
  readonly keymap: Keymap;
  readonly keyboard: Keyboard;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** What the terminal does when its window becomes narrower, as far as is known. */
  readonly reflow: () => Reflow;
  /** What takes pictures off the screen before it is drawn anew. */
  readonly erasePictures: () => string;
  /** A bug while drawing: the screen is gone then. */
  readonly onCrash: (error: unknown) => void;
  /** Lines that are only added to, for a screen reader. */
  readonly isScreenReader?: boolean;
}

export interface Ui {
  /** Resolves when what was drawn so far has been written. */
  flushed(): Promise<void>;
  /** A file on the whole screen, until the user leaves it. */
  showPager(output: PagedOutput): Promise<void>;
  stop(): Promise<void>;
}

/** Keys show at once, also while something prints; what prints is held to a few frames by the store. */
const MAX_FPS = 60;

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
  // Ink does so after its first frame: a key that is pressed as soon as the prompt is seen must not be the terminal's.
  stdin.setRawMode(true);
  const resizing = new Resizing({ store, stdout, reflow });
  const keys = new PromptKeys(store, actions, keymap);
  let wasInterrupted = false;
  /** Whoever has the terminal gives it back when omp ends. */
  const ending = new AbortController();
  let lent: Promise<unknown> = Promise.resolve();
  let isLent = false;
  const { signal } = ending;
  const terminal: OwnTerminal = {
    signal,
    showPager: async (output) => {
      const { showPager } = await import("../pager/screen.ts");
      const exit = await showPager({ ...output, theme: themes.get(), stdin, stdout, signal });
      wasInterrupted = exit === "interrupt";
    },
  };
  const onReady = (suspend: SuspendTerminal) => {
    keys.takeTerminal = async (work) => {
      const { length } = store.get().finished;
      keyboard.giveAway();
      isLent = true;
      try {
        const done = suspend(() =>
          work(terminal).finally(() => stdout.write(freshLine(stdout.columns || 80))),
        );
        lent = done.catch(() => undefined);
        await done;
      } finally {
        isLent = false;
        keyboard.takeBack();
      }
      // Ctrl+C in the pager is the first of two, as everywhere.
      if (wasInterrupted) keys.press({ kind: "command", command: "interrupt" });
      wasInterrupted = false;
      // What ended meanwhile was not written.
      if (store.get().finished.length > length) store.dispatch({ type: "redraw_asked" });
    };
  };
  const others = stdout.listeners("resize");
  const placeholders = new LinePlaceholders(stdout);
  const Shown = isScreenReader ? SpokenApp : App;
  const app = render(
    <Shown
      store={store}
      keys={keys}
      commands={actions.commands}
      themes={themes}
      placeholders={placeholders}
      onDrawn={resizing.drawn}
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
      // Ink's own way would read the whole frame again with every change.
      isScreenReaderEnabled: false,
      maxFps: MAX_FPS,
    },
  );
  // Ink's own listener would draw the old frame for the new width first, which may not fit the screen then.
  for (const listener of stdout.listeners("resize"))
    if (!others.includes(listener)) stdout.off("resize", listener as () => void);
  const onResize = () => {
    resizing.resized(isLent ? undefined : app);
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
