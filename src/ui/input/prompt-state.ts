/** The prompt between two keys: the text, what is offered to complete it, and where in the history it is. Pure. */

import { applyCompletion } from "../complete/token.ts";
import { type EditorCommand, insertText, isEditorCommand, runCommand } from "../editor/commands.ts";
import { stepHistory } from "../editor/history.ts";
import type { AppCommand, Press } from "../editor/keymap.ts";
import { isOnFirstRow, isOnLastRow } from "../editor/motion.ts";
import { insertPaste } from "../editor/paste.ts";
import { createEditor, type EditorState, edit, replaceText } from "../editor/state.ts";
import type { CommandRow } from "../store/actions.ts";
import { dedented, removeIndent } from "./code-text.ts";
import { type HistorySearch, searchPressed, startSearch } from "./history-search.ts";
import { type FoundFiles, namesFor, type OfferedNames, type Offers, offersAt } from "./offers.ts";

export interface PromptState {
  readonly editor: EditorState;
  /** Which row of the menu is chosen. */
  readonly chosen: number;
  /** How many inputs back; 0 is what is being written. */
  readonly back: number;
  /** What was being written when the history was opened; undefined when it is not open. */
  readonly draft: EditorState | undefined;
  /** Files for the `@` that is being written. */
  readonly found: FoundFiles | undefined;
  /** Names for the `$code` that is being written, once they were asked for. */
  readonly code: OfferedNames | undefined;
  /** The menu was closed; it opens again when the text changes. */
  readonly isMenuClosed: boolean;
  /** The history search in progress. */
  readonly search: HistorySearch | undefined;
}

export interface PromptContext {
  readonly width: number;
  readonly commands: readonly CommandRow[];
  readonly history: readonly string[];
}

export const emptyPrompt: PromptState = {
  editor: createEditor(),
  chosen: 0,
  back: 0,
  draft: undefined,
  found: undefined,
  code: undefined,
  isMenuClosed: false,
  search: undefined,
};

/** Nothing is written, and nothing is looked for. */
export function isEmptyPrompt({ editor, search }: PromptState): boolean {
  return editor.text === "" && search === undefined;
}

export function promptWith(text: string): PromptState {
  return { ...emptyPrompt, editor: createEditor(text) };
}

/** What a key does: a new prompt, or a command for the caller. */
export function pressed(
  prompt: PromptState,
  press: Press,
  context: PromptContext,
): { readonly prompt: PromptState } | { readonly command: AppCommand } {
  if (prompt.search !== undefined) {
    const searched = searchPressed(prompt, prompt.search, press, context);
    return searched ? { prompt: searched } : pressed({ ...prompt, search: undefined }, press, context);
  }
  if (press.kind === "paste")
    return { prompt: changed(prompt, insertPaste(prompt.editor, pasted(prompt, press))) };
  if (press.kind === "text") return { prompt: changed(prompt, insertText(prompt.editor, press.text)) };
  const { command } = press;
  if (isEditorCommand(command)) return { prompt: edited(prompt, command, context) };
  switch (command) {
    case "history-previous":
      return { prompt: stepBack(prompt, 1, context.history) };
    case "history-next":
      return { prompt: stepBack(prompt, -1, context.history) };
    case "history-previous-match":
      return { prompt: stepBack(prompt, 1, context.history, { matchesDraft: true }) };
    case "history-next-match":
      return { prompt: stepBack(prompt, -1, context.history, { matchesDraft: true }) };
    case "history-search":
      return { prompt: startSearch(prompt) };
    case "complete":
      return menuOf(prompt, context.commands) ? { prompt: completed(prompt, context) } : { command };
    case "complete-previous":
      return menuOf(prompt, context.commands) ? { prompt: vertical(prompt, "up", context) } : { command };
    case "cancel":
      return menuOf(prompt, context.commands) ? { prompt: { ...prompt, isMenuClosed: true } } : { command };
    default:
      return { command };
  }
}

/** Code that begins with the paste loses the indentation of where it was copied. */
function pasted({ editor }: PromptState, { text }: { readonly text: string }): string {
  return /^\$\$?\s*$/.test(editor.text.slice(0, editor.cursor))
    ? dedented(text.replace(/\r\n?/g, "\n"))
    : text;
}

function edited(prompt: PromptState, command: EditorCommand, context: PromptContext): PromptState {
  if (command === "cursor-up") return vertical(prompt, "up", context);
  if (command === "cursor-down") return vertical(prompt, "down", context);
  const less = command === "delete-backward" ? removeIndent(prompt.editor) : undefined;
  if (less) return changed(prompt, less);
  return changed(prompt, runCommand(prompt.editor, command, context));
}

export function changed(prompt: PromptState, editor: EditorState): PromptState {
  if (editor === prompt.editor) return prompt;
  if (editor.text === prompt.editor.text) return { ...prompt, editor };
  const code = prompt.code && namesFor(editor, prompt.code).length > 0 ? prompt.code : undefined;
  return { ...prompt, editor, code, isMenuClosed: false, chosen: 0, back: 0 };
}

/** The menu; none while the history is being looked through. */
export function menuOf(prompt: PromptState, commands: readonly CommandRow[]): Offers | undefined {
  return prompt.back > 0 || prompt.search !== undefined || prompt.isMenuClosed
    ? undefined
    : offersAt(prompt.editor, commands, prompt);
}

/** Moves in the menu, else in the text, else in the history. */
function vertical(prompt: PromptState, command: "up" | "down", context: PromptContext): PromptState {
  const rows = menuOf(prompt, context.commands)?.rows.length ?? 0;
  const step = command === "up" ? -1 : 1;
  if (rows > 1) return { ...prompt, chosen: (prompt.chosen + step + rows) % rows };
  const { editor } = prompt;
  const isAtEdge =
    command === "up" ? isOnFirstRow(editor, context.width) : isOnLastRow(editor, context.width);
  if (!isAtEdge)
    return changed(prompt, runCommand(editor, command === "up" ? "cursor-up" : "cursor-down", context));
  return stepBack(prompt, step === 1 ? -1 : 1, context.history);
}

function stepBack(
  prompt: PromptState,
  step: 1 | -1,
  history: readonly string[],
  options?: { readonly matchesDraft: boolean },
): PromptState {
  const { text } = prompt.editor;
  const draft = (prompt.back === 0 ? undefined : prompt.draft) ?? prompt.editor;
  const back = stepHistory(history, { back: prompt.back, draft: draft.text, text }, step, options);
  if (back === undefined) return prompt;
  // From an entry that was changed, undo leads back to the draft.
  const editor = back === 0 ? draft : replaceText(draft, history[history.length - back] ?? "");
  return { ...prompt, editor, back, draft, code: undefined };
}

export function completed(prompt: PromptState, { commands }: Pick<PromptContext, "commands">): PromptState {
  const menu = menuOf(prompt, commands);
  const row = menu?.rows[prompt.chosen];
  if (menu === undefined || row === undefined) return prompt;
  const { text, cursor } = applyCompletion(prompt.editor.text, menu.token, row.choice);
  const { editor } = prompt;
  const whole = edit(editor, { start: 0, end: editor.text.length, insert: text, kind: "other", cursor });
  return { ...prompt, editor: whole, chosen: 0, found: undefined, code: undefined };
}
