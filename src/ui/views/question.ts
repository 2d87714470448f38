/** The question before a call runs: what, why, and the answers. */

import type { Question } from "../store/state.ts";
import { clip, widthOf, wrap } from "../text/lines.ts";
import { sourceLine, sourceText } from "../text/source-text.ts";
import type { View } from "../view.ts";

export function questionLines(question: Question, view: View, maxRows: number): string[] {
  const { theme, width } = view;
  const { more, rule } = theme.symbols;
  const subject = [question.subject, ...question.links].flatMap((text) => wrap(sourceText(text), width - 2));
  const answers = answerLines(question, view);
  const room = Math.max(1, maxRows - 3 - answers.length);
  const shown =
    subject.length > room
      ? [
          ...subject.slice(0, room - 1),
          theme.dim(`${more} ${subject.length - room + 1} more lines (Alt+O shows all)`),
        ]
      : subject;
  return [
    theme.yellow(rule.repeat(width)),
    theme.bold(clip(`Allow ${question.tool}? ${sourceLine(question.reason)}`, width, more)),
    ...shown.map((line) => `  ${line}`),
    ...answers.map((line) => theme.yellow(line)),
  ];
}

/** In as many lines as they need, so that no answer is cut off. */
function answerLines(question: Question, { theme, width }: View): string[] {
  const { dot, more } = theme.symbols;
  const lines: string[] = [];
  for (const answer of answerWords(question)) {
    const longer = lines.length === 0 ? answer : `${lines.at(-1)} ${dot} ${answer}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(clip(answer, width, more));
  }
  return lines;
}

/** Each answer with its key, and with what it covers. */
export function answerWords({ patterns, covers }: Question): string[] {
  const session = covers === undefined ? "s this session" : `s this session (${covers})`;
  const always = patterns.length > 0 ? [`a always (${sourceLine(patterns.join(", "))})`] : [];
  return ["y once", session, ...always, "n no"];
}
