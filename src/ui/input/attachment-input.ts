/**
 * What is pasted and not part of the prompt's text: pictures (a pasted or dropped path, and Ctrl+V) and texts that are too large for it. To the
 * cursor, `[Image #1]` is one character.
 */

import { PASTE_PLACEHOLDER, plainText } from "../editor/paste.ts";
import { edit } from "../editor/state.ts";
import type { Actions } from "../store/actions.ts";
import { changed, type PromptState } from "./prompt-state.ts";

const PLACEHOLDERS = new RegExp(`\\[Image #\\d+\\]|${PASTE_PLACEHOLDER.source}`, "g");

export interface AttachmentInputOptions {
  readonly actions: Pick<Actions, "attachPaste" | "attachClipboard">;
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
  readonly hint: (text: string | undefined) => void;
}

export class AttachmentInput {
  readonly #options: AttachmentInputOptions;

  constructor(options: AttachmentInputOptions) {
    this.#options = options;
  }

  /** @returns false for a text that goes into the prompt as it is, as all do that are meant for a shell or a kernel. */
  paste(text: string): boolean {
    const { actions, get } = this.#options;
    const { editor } = get();
    const last = Math.max(0, ...editor.pastes.map(({ id }) => id));
    const names = /^[!$]/.test(editor.text) ? undefined : actions.attachPaste(plainText(text), last);
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
    const placeholders = names.match(PLACEHOLDERS) ?? [];
    const pastes = [
      ...editor.pastes,
      ...placeholders.map((placeholder) => ({
        id: Number(/#(\d+)/.exec(placeholder)?.[1]),
        placeholder,
        text: placeholder,
      })),
    ];
    const { cursor: start } = editor;
    // A text stands where it was pasted, however large; a picture is a word of its own.
    const before = /\S$/.test(editor.text.slice(0, start)) ? " " : "";
    const insert = PASTE_PLACEHOLDER.test(names) ? names : `${before}${names} `;
    show(changed(prompt, edit({ ...editor, pastes }, { start, end: start, insert, kind: "other" })));
  }
}
