/**
 * A question that opens by itself, perhaps in the middle of a sentence that is being typed: a list of answers, of which none counts
 * before the keyboard has been quiet for a moment. Pure.
 */

export interface QuestionRow {
  /** What the one who asked gets. */
  readonly answer: string;
  readonly label: string;
  readonly description: string;
  /** What is asked once more before it counts. */
  readonly confirm?: string | undefined;
  /** A reason is asked for first, and goes with the answer. */
  readonly hasReason?: boolean;
  /** What to write, where it is not the reason of a no. */
  readonly asks?: string;
  /** Also stops what runs. */
  readonly stops?: boolean;
}

export interface Question {
  readonly id: number;
  /** Whose call waits for the answer, if one does. */
  readonly tool: string | undefined;
  readonly title: string;
  /** What it is about: the whole command, and where paths in it lead. */
  readonly details: readonly string[];
  readonly rows: readonly QuestionRow[];
  /** What Esc means. */
  readonly onEscape: string;
  /** False: Esc is only an answer, and does not stop what runs. */
  readonly stopsOnEscape?: boolean | undefined;
}

export interface OpenQuestion extends Question {
  /** False while something is being typed: no key answers it. */
  readonly isReady: boolean;
  /** Which of the shown rows Enter means; undefined while Enter is the prompt's. */
  readonly chosen: number | undefined;
  /** The row that is asked about once more. */
  readonly confirming: QuestionRow | undefined;
  /** The row whose reason is being written in the prompt. */
  readonly explaining: QuestionRow | undefined;
}

export type QuestionChange = Partial<Pick<OpenQuestion, "isReady" | "chosen" | "confirming" | "explaining">>;

export function openQuestion(question: Question): OpenQuestion {
  return { ...question, isReady: false, chosen: undefined, confirming: undefined, explaining: undefined };
}

const BACK: QuestionRow = { answer: "", label: "No, go back", description: "" };

/** The first row of a confirmation goes back: Enter pressed twice does not confirm. */
export function answerRows({ rows, confirming }: OpenQuestion): readonly QuestionRow[] {
  return confirming === undefined
    ? rows
    : [BACK, { ...confirming, label: "Yes", description: confirming.description, confirm: undefined }];
}

export function isBack(row: QuestionRow): boolean {
  return row === BACK;
}

export function movedChoice(question: OpenQuestion, step: 1 | -1): number {
  const { length } = answerRows(question);
  if (question.chosen === undefined) return step === 1 ? 0 : length - 1;
  return (question.chosen + step + length) % length;
}
