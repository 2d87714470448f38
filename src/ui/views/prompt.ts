/** The prompt: a rule, the text being written, and the menu of completions. */

import { editorWidth, layOut, PROMPT_WIDTH } from "../editor/wrap.ts";
import type { HistorySearch } from "../input/history-search.ts";
import { menuOf, type PromptState } from "../input/prompt-state.ts";
import type { CommandRow } from "../store/actions.ts";
import { clip, plainText, widthOf } from "../text/lines.ts";
import type { Paint, Theme } from "../theme.ts";
import type { Block, View } from "../view.ts";

export interface PromptWords {
  /** What a cell of the user's waits for. */
  readonly asked?: string | undefined;
  /** In an empty prompt, instead of what can be typed. */
  readonly placeholder?: string;
}

export function promptBlock(
  prompt: PromptState,
  view: View,
  maxRows: number,
  {
    asked,
    placeholder = hint(editorWidth(view.width), view.theme.symbols.dot, asked !== undefined),
  }: PromptWords = {},
): Block {
  const { theme, width } = view;
  const { editor } = prompt;
  const layout = layOut(editor, editorWidth(width));
  // Of a long text, the part around the cursor.
  const rows = Math.max(1, maxRows);
  const first = Math.max(0, Math.min(layout.cursorRow - rows + 1, layout.rows.length - rows));
  const start = layout.cursorRow < first ? layout.cursorRow : first;
  const shown = layout.rows.slice(start, start + rows).map(({ text }) => text);
  const paint = paintOf(editor.text, theme);
  const promptPaint = editor.text.startsWith("!") || editor.text.startsWith("$") ? paint : theme.cyan;
  const text =
    editor.text === ""
      ? [theme.dim(clip(placeholder, editorWidth(width), theme.symbols.more))]
      : shown.map((line) => paint(line));
  const lines = text.map((line, index) =>
    index === 0 ? `${promptPaint(theme.symbols.prompt)} ${line}` : `  ${line}`,
  );
  const heading = prompt.search
    ? searchLine(prompt.search)
    : asked === undefined
      ? undefined
      : askedLine(asked);
  const rule =
    heading === undefined
      ? theme.dim(theme.symbols.rule.repeat(width))
      : theme.cyan(clip(heading, width, theme.symbols.more));
  return {
    lines: [rule, ...lines],
    cursor: { x: PROMPT_WIDTH + layout.cursorColumn, y: 1 + layout.cursorRow - start },
  };
}

function searchLine({ query, at }: HistorySearch): string {
  return `Search history: ${query}${query !== "" && at === undefined ? "  (no match)" : ""}`;
}

export function askedLine(asked: string): string {
  return `The cell asks: ${plainText(asked).replace(/\s+/g, " ").trim() || "a line of input"}`;
}

/** The longest that fits. */
function hint(columns: number, dot: string, isAsked: boolean): string {
  const asking = [["Enter to answer", "Esc to interrupt the cell"], ["Enter to answer"]];
  const texts = isAsked
    ? asking
    : [["Ask anything", "/ commands", "! shell", "$ Python"], ["Ask anything", "/ ! $"], ["/ ! $"]];
  return texts.map((parts) => parts.join(` ${dot} `)).find((text) => text.length <= columns) ?? "";
}

function paintOf(text: string, theme: Theme): Paint {
  if (text.startsWith("!")) return theme.yellow;
  if (text.startsWith("$")) return theme.green;
  return text.startsWith("/") ? theme.magenta : (line) => line;
}

const MENU_ROWS = 8;

export function menuLines(
  prompt: PromptState,
  commands: readonly CommandRow[],
  { theme, width }: View,
  maxRows: number,
): string[] {
  const menu = menuOf(prompt, commands);
  if (menu === undefined) return [];
  const { rows, total } = menu;
  const { more, prompt: mark } = theme.symbols;
  const isCut = total > Math.min(MENU_ROWS, maxRows);
  const count = Math.max(1, Math.min(MENU_ROWS, maxRows - (isCut ? 1 : 0)));
  const start = Math.max(0, Math.min(prompt.chosen - count + 1, rows.length - count));
  const labelWidth = Math.max(...rows.map(({ label }) => widthOf(label)));
  const lines = rows.slice(start, start + count).map(({ label, description }, index) => {
    const isChosen = start + index === prompt.chosen;
    const gap = " ".repeat(labelWidth - widthOf(label) + 2);
    const text = `${label}${description === "" ? "" : gap + description}`;
    const line = clip(`${isChosen ? mark : " "} ${text}`, width, more);
    return isChosen ? theme.cyan(line) : theme.dim(line);
  });
  return isCut && maxRows > 1
    ? [...lines, theme.dim(clip(`  ${prompt.chosen + 1}/${total}`, width, more))]
    : lines;
}
