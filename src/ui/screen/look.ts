/** How the screen looks: by what the user chose, what the environment says, and what the terminal answered, in this order. */

import type { Store } from "../store/store.ts";
import type { TerminalCapabilities } from "../terminal/capabilities.ts";
import { colorDepth, type Environment } from "../terminal/environment.ts";
import { makeTheme, type ThemeChoice, ThemeSource } from "../theme.ts";

export type ThemeName = "auto" | "dark" | "light" | "16" | "none";

interface LookSettings {
  readonly theme: ThemeName;
  readonly ascii: boolean;
}

export interface LookOptions {
  readonly env: Environment;
  readonly known: TerminalCapabilities;
  readonly ui: LookSettings;
  readonly store: Store;
}

export class Look {
  readonly themes: ThemeSource;
  readonly #options: LookOptions;
  #known: TerminalCapabilities;
  #name: ThemeName;
  #isAscii: boolean;
  #choice: ThemeChoice;
  /** What the transcript was last drawn with. */
  #drawn: ThemeChoice;

  constructor(options: LookOptions) {
    this.#options = options;
    this.#known = options.known;
    this.#name = options.ui.theme;
    this.#isAscii = options.ui.ascii;
    this.#choice = this.choiceOf(this.#name);
    this.#drawn = this.#choice;
    this.themes = new ThemeSource(makeTheme(this.#choice));
  }

  get name(): ThemeName {
    return this.#name;
  }

  /** The terminal has answered. Draws nothing again unless that changes something. */
  learn(known: TerminalCapabilities): void {
    this.#known = known;
    this.use(this.#name);
  }

  /** The settings have changed. @returns whether the transcript is drawn again. */
  adopt({ theme, ascii }: LookSettings): boolean {
    this.#isAscii = ascii;
    return this.use(theme);
  }

  /** Applies a theme to the whole transcript. @returns whether it is drawn again. */
  use(name: ThemeName): boolean {
    this.#name = name;
    this.preview(name);
    if (Bun.deepEquals(this.#choice, this.#drawn)) return false;
    this.#drawn = this.#choice;
    this.#options.store.dispatch({ type: "redraw_asked" });
    return true;
  }

  /** Applies a theme only to what is drawn next. */
  preview(name: ThemeName): void {
    const choice = this.choiceOf(name);
    if (Bun.deepEquals(choice, this.#choice)) return;
    this.#choice = choice;
    this.themes.set(makeTheme(choice));
  }

  choiceOf(name: ThemeName): ThemeChoice {
    const { env } = this.#options;
    const { colors, background, hasUnicode, hasHyperlinks } = this.#known;
    const isLight = name === "light" || (name !== "dark" && background === "light");
    const isAscii = this.#isAscii || !hasUnicode;
    if (name === "none" || (name === "auto" && colors === "none"))
      return { hasColors: false, isLight, isAscii, hasHyperlinks: false };
    // A theme chosen by name has its colours, whatever NO_COLOR says.
    const own = colorDepth({ ...env, NO_COLOR: undefined }, { isTerminal: true });
    const found = name === "auto" ? colors : name === "16" ? "16" : own;
    return { hasColors: true, depth: found === "none" ? "16" : found, isLight, isAscii, hasHyperlinks };
  }
}
