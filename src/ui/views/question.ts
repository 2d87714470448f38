/** The question before a call runs: what, why, and the answers. */

import type { Answer, Question } from "../store/state.ts";
import { clip, plainText, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";

export const answerKeys: Readonly<Record<string, Answer>> = {
  y: "once",
  s: "session",
  a: "always",
  n: "no",
};

export function questionLines(question: Question, { theme, width }: View, maxRows: number): string[] {
  const { dot, more, rule } = theme.signs;
  const subject = wrap(plainText(question.subject), width - 2);
  const room = Math.max(1, maxRows - 4);
  const shown =
    subject.length > room
      ? [...subject.slice(0, room - 1), theme.dim(`${more} ${subject.length - room + 1} more lines`)]
      : subject;
  const always = question.patterns.length > 0 ? [`a always (${question.patterns.join(", ")})`] : [];
  const answers = ["y once", "s this session", ...always, "n no"].join(` ${dot} `);
  return [
    theme.yellow(rule.repeat(width)),
    theme.bold(clip(`Run ${question.tool}? ${question.reason}`, width, more)),
    ...shown.map((line) => `  ${line}`),
    theme.yellow(clip(answers, width, more)),
  ];
}
