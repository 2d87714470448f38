/** A question: what would happen, why it is asked, and the answers as a list. The draft stays below it. */

import { answerRows, type OpenQuestion, type QuestionRow } from "../store/question-state.ts";
import { clip, widthOf, wrap } from "../text/lines.ts";
import { sourceLine, sourceText } from "../text/source-text.ts";
import type { View } from "../view.ts";

/** The rule, the title, and the keys. */
const OTHER_LINES = 3;

/** @param hasDraft something is written in the prompt, which has Enter then. */
export function questionLines(
  question: OpenQuestion,
  view: View,
  { maxRows, hasDraft }: { readonly maxRows: number; readonly hasDraft: boolean },
): string[] {
  const { theme, width } = view;
  const { more, rule } = theme.symbols;
  const rows = question.explaining === undefined ? rowLines(question, view, maxRows - OTHER_LINES - 1) : [];
  const details = question.details.flatMap((text) => wrap(sourceText(text), width - 2));
  const room = Math.max(1, maxRows - OTHER_LINES - rows.length);
  const shown =
    details.length > room
      ? [
          ...details.slice(0, room - 1),
          theme.dim(
            clip(`${more} ${details.length - room + 1} more lines (Alt+O shows all)`, width - 2, more),
          ),
        ]
      : details;
  const title = sourceLine(question.confirming?.confirm ?? question.title);
  return [
    theme.yellow(rule.repeat(width)),
    theme.bold(clip(title, width, more)),
    ...shown.map((line) => `  ${line}`),
    ...rows,
    theme.dim(keysLine(question, hasDraft, view)),
  ];
}

function rowLines(question: OpenQuestion, { theme, width }: View, room: number): string[] {
  const { more, prompt } = theme.symbols;
  const all = answerRows(question);
  const count = Math.max(1, Math.min(all.length, room));
  const first = Math.max(0, Math.min((question.chosen ?? 0) - count + 1, all.length - count));
  return all.slice(first, first + count).map((row, at) => {
    const isChosen = first + at === question.chosen;
    const line = clip(`${isChosen ? prompt : " "} ${answerText(row)}`, width, more);
    return isChosen ? theme.cyan(line) : question.isReady ? line : theme.dim(line);
  });
}

export function answerText({ label, description }: QuestionRow): string {
  return description === "" ? label : `${label} (${sourceLine(description)})`;
}

/** As many of them as fit. */
function keysLine(question: OpenQuestion, hasDraft: boolean, { theme, width }: View): string {
  const { dot, more } = theme.symbols;
  const words = keyWords(question, hasDraft);
  const lines = words.map((_, left) => words.slice(0, words.length - left).join(` ${dot} `));
  return clip(lines.find((line) => widthOf(line) <= width) ?? words[0] ?? "", width, more);
}

function keyWords({ explaining, isReady, chosen, stopsOnEscape }: OpenQuestion, hasDraft: boolean): string[] {
  if (explaining !== undefined) return [explaining.asks ?? "Say why", "Enter to send", "Esc to go back"];
  if (!isReady) return ["Stop typing to answer"];
  const onEscape = stopsOnEscape === false ? "Esc to cancel" : "Esc to stop";
  if (hasDraft && chosen === undefined)
    return ["Up or Down to answer", "Enter to send your message", onEscape];
  return ["Up, Down and Enter to answer", onEscape];
}
