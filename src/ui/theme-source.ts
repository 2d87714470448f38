/** The theme that is drawn with, which may change while the screen is up: an answer of the terminal, another choice of the user. */

import type { Theme } from "./theme.ts";

export class ThemeSource {
  #theme: Theme;
  readonly #listeners = new Set<() => void>();

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  readonly get = (): Theme => this.#theme;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(theme: Theme): void {
    this.#theme = theme;
    for (const listener of this.#listeners) listener();
  }
}
