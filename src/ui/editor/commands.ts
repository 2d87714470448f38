/** Editor commands by name: each turns a state into the next. Which key runs which is in the keymap. */

import { kill, yank, yankPop } from "./kill-ring.ts";
import {
  moveVertically,
  offsetLeft,
  offsetLineEnd,
  offsetLineStart,
  offsetRight,
  offsetWordLeft,
  offsetWordRight,
} from "./motion.ts";
import { placeholderAt, plainText } from "./paste.ts";
import { type EditorState, edit, moveTo, redo, undo } from "./state.ts";
import { chunkStartBefore } from "./words.ts";

export interface EditorGeometry {
  /** Columns that the text wraps to. */
  readonly width: number;
}

type Transition = (state: EditorState, geometry: EditorGeometry) => EditorState;

const transitions = {
  "cursor-left": (state) => moveTo(state, offsetLeft(state)),
  "cursor-right": (state) => moveTo(state, offsetRight(state)),
  "cursor-up": (state, { width }) => moveVertically(state, -1, width),
  "cursor-down": (state, { width }) => moveVertically(state, 1, width),
  "word-left": (state) => moveTo(state, offsetWordLeft(state)),
  "word-right": (state) => moveTo(state, offsetWordRight(state)),
  "line-start": (state) => moveTo(state, offsetLineStart(state)),
  "line-end": (state) => moveTo(state, offsetLineEnd(state)),
  "text-start": (state) => moveTo(state, 0),
  "text-end": (state) => moveTo(state, state.text.length),
  "insert-newline": (state) => insertText(state, "\n"),
  "delete-backward": (state) =>
    edit(state, { start: offsetLeft(state), end: state.cursor, insert: "", kind: "delete" }),
  "delete-forward": (state) =>
    edit(state, { start: state.cursor, end: offsetRight(state), insert: "", kind: "delete" }),
  "kill-to-line-end": (state) => {
    const end = offsetLineEnd(state);
    // At the end of a line, its line feed is deleted, so that the command can be repeated.
    return kill(state, state.cursor, end === state.cursor ? offsetRight(state) : end);
  },
  "kill-to-line-start": (state) => {
    const start = offsetLineStart(state);
    return kill(state, start === state.cursor ? offsetLeft(state) : start, state.cursor);
  },
  "kill-chunk-backward": (state) => {
    const start = chunkStartBefore(state.text, state.cursor);
    return kill(state, placeholderAt(state, start)?.start ?? start, state.cursor);
  },
  "kill-word-backward": (state) => kill(state, offsetWordLeft(state), state.cursor),
  "kill-word-forward": (state) => kill(state, state.cursor, offsetWordRight(state)),
  yank,
  "yank-pop": yankPop,
  undo,
  redo,
} satisfies Record<string, Transition>;

export type EditorCommand = keyof typeof transitions;

export const editorCommands = Object.keys(transitions) as readonly EditorCommand[];

export function isEditorCommand(name: string): name is EditorCommand {
  return Object.hasOwn(transitions, name);
}

export function runCommand(
  state: EditorState,
  command: EditorCommand,
  geometry: EditorGeometry,
): EditorState {
  const transition: Transition = transitions[command];
  return transition(state, geometry);
}

/** Typed text; pasted text goes through `insertPaste`. */
export function insertText(state: EditorState, typed: string): EditorState {
  const { cursor: start } = state;
  return edit(state, { start, end: start, insert: plainText(typed), kind: "type" });
}
