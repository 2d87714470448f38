/** The question before a call runs: what, why, and the answers. */

import type { Question } from "../store/state.ts";
import { clip, plainText, widthOf, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";

export function questionLines(question: Question, view: View, maxRows: number): string[] {
  const { theme, width } = view;
  const { more, rule } = theme.symbols;
  const subject = wrap(plainText(question.subject), width - 2);
  const answers = answerLines(question, view);
  const room = Math.max(1, maxRows - 3 - answers.length);
  const shown =
    subject.length > room
      ? [...subject.slice(0, room - 1), theme.dim(`${more} ${subject.length - room + 1} more lines`)]
      : subject;
  return [
    theme.yellow(rule.repeat(width)),
    theme.bold(clip(`Allow ${question.tool}? ${question.reason}`, width, more)),
    ...shown.map((line) => `  ${line}`),
    ...answers.map((line) => theme.yellow(line)),
  ];
}

/** In as many lines as they need, so that no answer is cut off. */
function answerLines({ patterns }: Question, { theme, width }: View): string[] {
  const { dot, more } = theme.symbols;
  const always = patterns.length > 0 ? [`a always (${patterns.join(", ")})`] : [];
  const lines: string[] = [];
  for (const answer of ["y once", "s this session", ...always, "n no"]) {
    const longer = lines.length === 0 ? answer : `${lines.at(-1)} ${dot} ${answer}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(clip(answer, width, more));
  }
  return lines;
}
