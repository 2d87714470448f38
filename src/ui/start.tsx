/** Puts the screen up, and takes it down again so that the terminal is as it was. */

import { render } from "ink";
import type { Actions } from "./actions.ts";
import { App } from "./components/app.tsx";
import type { Keymap } from "./editor/keymap.ts";
import { PromptKeys } from "./input/prompt-keys.ts";
import type { Store } from "./store/store.ts";
import type { Theme } from "./theme.ts";

export interface UiOptions {
  readonly store: Store;
  readonly actions: Actions;
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

export interface Ui {
  /** Resolves when what was drawn so far has been written. */
  flushed(): Promise<void>;
  stop(): Promise<void>;
}

/** Keys show at once, also while something prints; what prints is held to a few frames by the store. */
const MAX_FPS = 60;

export function startUi({ store, actions, theme, keymap, stdin, stdout }: UiOptions): Ui {
  const onResize = () =>
    store.dispatch({ type: "resized", columns: stdout.columns || 80, rows: stdout.rows || 24 });
  // Before Ink's own listener, which then lays out what fits already.
  stdout.on("resize", onResize);
  // Ink does so after its first frame: a key that is pressed as soon as the prompt is seen must not be the terminal's.
  stdin.setRawMode(true);
  const keys = new PromptKeys(store, actions, keymap);
  const app = render(<App store={store} keys={keys} commands={actions.commands} theme={theme} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    interactive: true,
    maxFps: MAX_FPS,
  });
  return {
    flushed: () => app.waitUntilRenderFlush(),
    stop: async () => {
      stdout.off("resize", onResize);
      store.dispatch({ type: "ending" });
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}
