/** Ctrl+R: searches the history backwards while the query is typed. The match is shown in the editor. */

import { searchBack } from "../editor/history.ts";
import type { Press } from "../editor/keymap.ts";
import { type EditorState, replaceText } from "../editor/state.ts";
import type { PromptContext, PromptState } from "./prompt-state.ts";

export interface HistorySearch {
  readonly query: string;
  /** Where the shown match is in the history; undefined when there is none. */
  readonly at: number | undefined;
  /** What was being written before. */
  readonly draft: EditorState;
}

export function startSearch(prompt: PromptState): PromptState {
  return { ...prompt, search: { query: "", at: undefined, draft: prompt.editor } };
}

/** @returns undefined for a key that ends the search and then has its usual meaning. */
export function searchPressed(
  prompt: PromptState,
  search: HistorySearch,
  press: Press,
  { history }: PromptContext,
): PromptState | undefined {
  if (press.kind === "text")
    return showMatch(prompt, { ...search, query: search.query + press.text }, history);
  if (press.kind === "paste") return undefined;
  switch (press.command) {
    case "history-search":
      return showMatch(prompt, search, history, search.at);
    case "delete-backward":
      return showMatch(prompt, { ...search, query: search.query.slice(0, -1) }, history);
    case "cancel":
      return { ...prompt, search: undefined, editor: search.draft };
    case "submit":
      return { ...prompt, search: undefined };
    default:
      return undefined;
  }
}

function showMatch(
  prompt: PromptState,
  search: HistorySearch,
  history: readonly string[],
  before?: number,
): PromptState {
  const match = searchBack(history, search.query, before);
  // At the oldest match the search stays where it is.
  if (match === undefined && before !== undefined) return prompt;
  const editor = match === undefined ? search.draft : replaceText(search.draft, match.text);
  return { ...prompt, editor, search: { ...search, at: match?.index } };
}
