/**
 * Pasted text: made safe to show, folded into `[Pasted text #1 +123 lines]` when it is large, and unfolded when it is sent. To the
 * cursor a placeholder is one character: motion skips it, deleting removes all of it.
 */

import { type EditorState, edit } from "./state.ts";

export interface FoldedPaste {
  readonly id: number;
  readonly placeholder: string;
  readonly text: string;
}

const FOLD_LINES = 10;
const FOLD_CHARACTERS = 1_000;

/** Control characters other than tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Text from outside as plain text: one kind of line end, no escape sequences, no control characters. */
export function plainText(text: string): string {
  return Bun.stripANSI(text).replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

export function insertPaste(state: EditorState, pasted: string): EditorState {
  const text = plainText(pasted);
  const { cursor: start } = state;
  const { lines } = sizeOf(text);
  if (lines <= FOLD_LINES && text.length <= FOLD_CHARACTERS) {
    return edit(state, { start, end: start, insert: text, kind: "other" });
  }
  const id = 1 + Math.max(0, ...state.pastes.map((paste) => paste.id));
  const placeholder = pastePlaceholder(id, text);
  const pastes = [...state.pastes, { id, placeholder, text }];
  return edit({ ...state, pastes }, { start, end: start, insert: placeholder, kind: "other" });
}

/** What stands for a text in the prompt. */
export const PASTE_PLACEHOLDER = /\[Pasted text #\d+ \+\d+ (?:lines|characters)\]/;

export function pastePlaceholder(id: number, text: string): string {
  const { lines, length } = sizeOf(text);
  return `[Pasted text #${id} +${lines > 1 ? `${lines} lines` : `${length} characters`}]`;
}

function sizeOf(text: string): { readonly lines: number; readonly length: number } {
  const { length } = text.replace(/\n$/, "");
  return { lines: text.slice(0, length).split("\n").length, length };
}

/** The text with every paste unfolded: what is sent. */
export function expandPastes({ text, pastes }: Pick<EditorState, "text" | "pastes">): string {
  if (pastes.length === 0) return text;
  const texts = new Map(pastes.map((paste) => [paste.placeholder, paste.text]));
  // One pass, so that a placeholder inside a pasted text stays what it is.
  return text.replace(new RegExp(PASTE_PLACEHOLDER, "g"), (found) => texts.get(found) ?? found);
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The placeholder around `offset`; `before` and `after` also accept one that ends or starts there. */
export function placeholderAt(
  { text, pastes }: Pick<EditorState, "text" | "pastes">,
  offset: number,
  touching: "inside" | "before" | "after" = "inside",
): Span | undefined {
  for (const { placeholder } of pastes) {
    const from = Math.max(0, offset - placeholder.length);
    for (
      let start = text.indexOf(placeholder, from);
      start !== -1;
      start = text.indexOf(placeholder, start + 1)
    ) {
      const end = start + placeholder.length;
      if (start > offset) break;
      if (start < offset && offset < end) return { start, end };
      if (touching === "before" && end === offset) return { start, end };
      if (touching === "after" && start === offset) return { start, end };
    }
  }
  return undefined;
}
