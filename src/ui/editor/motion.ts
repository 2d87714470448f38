/** Where the cursor goes. A folded paste is one step; up and down move by drawn rows and keep their column. */

import { nextBoundary, previousBoundary } from "./graphemes.ts";
import { placeholderAt } from "./paste.ts";
import { type EditorState, moveTo } from "./state.ts";
import { wordEndAfter, wordStartBefore } from "./words.ts";
import { layOut, offsetAt } from "./wrap.ts";

export function offsetLeft(state: EditorState): number {
  return placeholderAt(state, state.cursor, "before")?.start ?? previousBoundary(state.text, state.cursor);
}

export function offsetRight(state: EditorState): number {
  return placeholderAt(state, state.cursor, "after")?.end ?? nextBoundary(state.text, state.cursor);
}

export function offsetWordLeft(state: EditorState): number {
  const before = placeholderAt(state, state.cursor, "before");
  if (before !== undefined) return before.start;
  const offset = wordStartBefore(state.text, state.cursor);
  return placeholderAt(state, offset)?.start ?? offset;
}

export function offsetWordRight(state: EditorState): number {
  const after = placeholderAt(state, state.cursor, "after");
  if (after !== undefined) return after.end;
  const offset = wordEndAfter(state.text, state.cursor);
  return placeholderAt(state, offset)?.end ?? offset;
}

export function offsetLineStart({ text, cursor }: EditorState): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

export function offsetLineEnd({ text, cursor }: EditorState): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

export function moveVertically(state: EditorState, rows: number, width: number): EditorState {
  const layout = layOut(state, width);
  const target = layout.cursorRow + rows;
  const goal = state.goalColumn ?? layout.cursorColumn;
  if (target < 0) return moveTo(state, 0);
  if (target >= layout.rows.length) return moveTo(state, state.text.length);
  const offset = offsetAt(state.text, layout, target, goal);
  return moveTo(state, placeholderAt(state, offset)?.start ?? offset, goal);
}

/** Up would leave the text: the history is opened instead. */
export function isOnFirstRow(state: EditorState, width: number): boolean {
  return layOut(state, width).cursorRow === 0;
}

export function isOnLastRow(state: EditorState, width: number): boolean {
  const { rows, cursorRow } = layOut(state, width);
  return cursorRow === rows.length - 1;
}
