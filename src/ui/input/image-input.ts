/** Pictures in the prompt: a pasted or dropped path, and Ctrl+V. To the cursor, `[Image #1]` is one character. */

import { edit } from "../editor/state.ts";
import type { Actions } from "../store/actions.ts";
import { changed, type PromptState } from "./prompt-state.ts";

export interface ImageInputOptions {
  readonly actions: Pick<Actions, "attachPaths" | "attachClipboard">;
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
  readonly hint: (text: string | undefined) => void;
}

export class ImageInput {
  readonly #options: ImageInputOptions;

  constructor(options: ImageInputOptions) {
    this.#options = options;
  }

  /** @returns false for a text that is not paths of pictures, or where it is meant for a shell or a kernel. */
  paste(text: string): boolean {
    const { actions, get } = this.#options;
    const names = /^[!$]/.test(get().editor.text) ? undefined : actions.attachPaths(text);
    if (names !== undefined) this.#insert(names);
    return names !== undefined;
  }

  fromClipboard(): void {
    const { actions, hint } = this.#options;
    void actions.attachClipboard().then((name) => {
      if (name === undefined) hint("No image in the clipboard");
      else this.#insert(name);
    });
  }

  #insert(names: string): void {
    const { get, show } = this.#options;
    const prompt = get();
    const { editor } = prompt;
    const placeholders = names.match(/\[Image #\d+\]/g) ?? [];
    const pastes = [
      ...editor.pastes,
      ...placeholders.map((placeholder, index) => ({
        id: editor.pastes.length + 1 + index,
        placeholder,
        text: placeholder,
      })),
    ];
    const { cursor: start } = editor;
    const insert = `${/\S$/.test(editor.text.slice(0, start)) ? " " : ""}${names} `;
    show(changed(prompt, edit({ ...editor, pastes }, { start, end: start, insert, kind: "other" })));
  }
}
