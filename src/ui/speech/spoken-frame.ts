/** The last line for a screen reader: the prompt, or the current row of a list. Nothing else is ever redrawn. */

import { isEmptyPrompt, type PromptState } from "../input/prompt-state.ts";
import { shownRows } from "../store/picker-state.ts";
import { answerRows, type OpenQuestion } from "../store/question-state.ts";
import type { UiState } from "../store/state.ts";
import { clip, plainText } from "../text/lines.ts";
import type { Block, View } from "../view.ts";
import { askedLine, promptBlock } from "../views/prompt.ts";
import { answerText } from "../views/question.ts";

export function spokenFrame(state: UiState, prompt: PromptState, view: View): Block {
  if (state.isEnding) return { lines: [], cursor: undefined };
  const { question } = state;
  if (question && !state.picker && (question.chosen !== undefined || isEmptyPrompt(prompt)))
    return lineBlock(spokenAnswer(question), view);
  if (state.picker) {
    const { rows, chosen, filter } = state.picker;
    const places = shownRows(state.picker);
    const row = rows[places[chosen] ?? -1];
    const what = row ? `${chosen + 1} of ${places.length}: ${row.label}, ${row.description}` : "no matches";
    return lineBlock(`${filter === "" ? "" : `filter ${filter}, `}${what}`, view);
  }
  if (state.input !== undefined && prompt.editor.text === "") return lineBlock(askedLine(state.input), view);
  const { lines, cursor } = promptBlock(prompt, view, Math.max(1, state.size.rows - 2));
  if (prompt.search) return { lines, cursor };
  const text = prompt.editor.text === "" ? ["> "] : lines.slice(1);
  return { lines: text, cursor: cursor && { x: cursor.x, y: cursor.y - 1 } };
}

function spokenAnswer(question: OpenQuestion): string {
  const { chosen, explaining, confirming } = question;
  if (explaining !== undefined) return explaining.asks === undefined ? "Why not: " : `${explaining.asks}: `;
  const rows = answerRows(question);
  const row = rows[chosen ?? -1];
  const asked = confirming?.confirm === undefined ? "Answer" : confirming.confirm;
  return row ? `${asked} ${(chosen ?? 0) + 1} of ${rows.length}: ${answerText(row)}` : "Answer: ";
}

function lineBlock(text: string, { width }: View): Block {
  const line = clip(plainText(text).replaceAll("\n", " "), width - 1, "...");
  return { lines: [line], cursor: { x: Bun.stringWidth(line), y: 0 } };
}
