/** Killing and yanking as in readline: consecutive kills are one entry, yank inserts the newest, yank-pop replaces it with an older one. */

import { type EditorState, edit } from "./state.ts";

const MAX_KILLS = 60;

export function kill(state: EditorState, start: number, end: number): EditorState {
  if (start === end) return state;
  const killed = state.text.slice(start, end);
  const [newest, ...older] = state.kills;
  const isBackward = end === state.cursor;
  const joined = isBackward ? killed + newest : newest + killed;
  const kills =
    state.lastEdit === "kill" && newest !== undefined ? [joined, ...older] : [killed, ...state.kills];
  return { ...edit(state, { start, end, insert: "", kind: "kill" }), kills: kills.slice(0, MAX_KILLS) };
}

/** Removes the whole text: both yank and undo bring it back. */
export function killAll(state: EditorState): EditorState {
  const { length } = state.text;
  return kill({ ...state, cursor: length, lastEdit: undefined }, 0, length);
}

export function yank(state: EditorState): EditorState {
  const [newest] = state.kills;
  if (newest === undefined) return state;
  const { cursor: start } = state;
  const next = edit(state, { start, end: start, insert: newest, kind: "yank" });
  return { ...next, yanked: { start, end: start + newest.length, index: 0 } };
}

/** Only right after a yank; otherwise there is nothing to replace. */
export function yankPop(state: EditorState): EditorState {
  const { yanked, kills } = state;
  if (yanked === undefined || kills.length < 2) return state;
  const index = (yanked.index + 1) % kills.length;
  const insert = kills[index] ?? "";
  const next = edit(state, { start: yanked.start, end: yanked.end, insert, kind: "yank" });
  return {
    ...next,
    // A yank and all its replacements are one undo step.
    undoSteps: state.undoSteps,
    yanked: { start: yanked.start, end: yanked.start + insert.length, index },
  };
}
