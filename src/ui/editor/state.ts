/**
 * What the editor knows, as one immutable value, and the one way to change its text: `edit`. Undo works on whole snapshots; a run of
 * typing (or of deleting) is one step. Motion, killing and pasting are built on this in their own files.
 */

import { snapToBoundary } from "./graphemes.ts";
import type { FoldedPaste } from "./paste.ts";

/** The kind of the last change: consecutive typing or deleting is one undo step, consecutive kills are one entry of the ring. */
export type EditKind = "type" | "delete" | "kill" | "yank" | "other";

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

export interface EditorState {
  readonly text: string;
  /** UTF-16 offset, always between two graphemes. */
  readonly cursor: number;
  /** The column that up and down try to keep, while they are pressed in a row. */
  readonly goalColumn: number | undefined;
  readonly undoSteps: readonly Snapshot[];
  readonly redoSteps: readonly Snapshot[];
  readonly lastEdit: EditKind | undefined;
  /** Killed texts, newest first. */
  readonly kills: readonly string[];
  /** What the last yank put in, so that yank-pop can replace it. */
  readonly yanked: { readonly start: number; readonly end: number; readonly index: number } | undefined;
  readonly pastes: readonly FoldedPaste[];
}

const MAX_UNDO_STEPS = 200;

export function createEditor(text = ""): EditorState {
  return {
    text,
    cursor: text.length,
    goalColumn: undefined,
    undoSteps: [],
    redoSteps: [],
    lastEdit: undefined,
    kills: [],
    yanked: undefined,
    pastes: [],
  };
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
  readonly kind: EditKind;
  /** Where the cursor goes; after the inserted text when not given. */
  readonly cursor?: number;
}

/** Replaces a range of the text; undo restores it. */
export function edit(state: EditorState, { start, end, insert, kind, cursor }: Edit): EditorState {
  if (start === end && insert === "") return moveTo(state, cursor ?? start);
  const text = state.text.slice(0, start) + insert + state.text.slice(end);
  return {
    ...state,
    text,
    cursor: cursor ?? start + insert.length,
    goalColumn: undefined,
    undoSteps: joinsLastStep(state, kind, insert) ? state.undoSteps : withStep(state.undoSteps, state),
    redoSteps: [],
    lastEdit: kind,
    yanked: undefined,
  };
}

/** Typing is undone word by word: a word after a space, and a new line, start a step. */
function joinsLastStep(state: EditorState, kind: EditKind, insert: string): boolean {
  if (kind !== state.lastEdit || (kind !== "type" && kind !== "delete")) return false;
  if (kind === "delete") return true;
  const before = state.text[state.cursor - 1] ?? "";
  return !insert.includes("\n") && !(/\s/.test(before) && /\S/.test(insert));
}

function withStep(steps: readonly Snapshot[], { text, cursor }: Snapshot): readonly Snapshot[] {
  return [...steps.slice(-(MAX_UNDO_STEPS - 1)), { text, cursor }];
}

export function undo(state: EditorState): EditorState {
  const step = state.undoSteps.at(-1);
  if (step === undefined) return state;
  return restore(state, step, {
    undoSteps: state.undoSteps.slice(0, -1),
    redoSteps: withStep(state.redoSteps, state),
  });
}

export function redo(state: EditorState): EditorState {
  const step = state.redoSteps.at(-1);
  if (step === undefined) return state;
  return restore(state, step, {
    undoSteps: withStep(state.undoSteps, state),
    redoSteps: state.redoSteps.slice(0, -1),
  });
}

function restore(
  state: EditorState,
  { text, cursor }: Snapshot,
  steps: Pick<EditorState, "undoSteps" | "redoSteps">,
): EditorState {
  return { ...state, ...steps, text, cursor, goalColumn: undefined, lastEdit: undefined, yanked: undefined };
}

/** Moves the cursor, which ends a run of typing, kills or vertical moves. */
export function moveTo(state: EditorState, offset: number, goalColumn?: number): EditorState {
  const cursor = snapToBoundary(state.text, offset);
  return { ...state, cursor, goalColumn, lastEdit: undefined, yanked: undefined };
}

/** Replaces the whole text (from an external editor); undo restores it. */
export function replaceText(state: EditorState, text: string, cursor = text.length): EditorState {
  if (text === state.text) return moveTo(state, cursor);
  return edit(state, { start: 0, end: state.text.length, insert: text, kind: "other", cursor });
}

/** As after sending: the kill ring is kept, undo and folded pastes are not. */
export function clearText(state: EditorState): EditorState {
  return { ...createEditor(), kills: state.kills };
}
