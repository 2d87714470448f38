/**
 * The keys of a question. It may open while somebody types, so what is typed stays the prompt's: letters never answer, and arrows, Enter
 * and Esc do so only after the keyboard has been quiet for half a second with the question on the screen.
 */

import type { KeyCommand, Press } from "../editor/keymap.ts";
import type { Actions } from "../store/actions.ts";
import {
  answerRows,
  isBack,
  movedChoice,
  type OpenQuestion,
  type QuestionChange,
  type QuestionRow,
} from "../store/question-state.ts";
import type { Store } from "../store/store.ts";

/** Longer than the pauses inside a sentence that is being typed. */
export const QUIET_MS = 500;

/** Keys that mean the same whatever is open. */
const inAnyState: ReadonlySet<string> = new Set<KeyCommand>([
  "interrupt",
  "quit",
  "toggle-expand",
  "open-pager",
  "clear-screen",
  "suspend",
]);

const steps: Readonly<Partial<Record<KeyCommand, 1 | -1>>> = {
  "cursor-up": -1,
  "history-previous": -1,
  "cursor-down": 1,
  "history-next": 1,
};

export interface QuestionPrompt {
  readonly isEmpty: () => boolean;
  readonly hasMenu: () => boolean;
  /** Puts the draft aside for the reason of an answer. */
  readonly startReason: () => void;
  /** @returns what was written, and brings the draft back. @param isKept whether what was written is added to it. */
  readonly endReason: (isKept?: boolean) => string;
}

export class QuestionKeys {
  readonly #store: Store;
  readonly #actions: Pick<Actions, "answer" | "interrupt">;
  readonly #prompt: QuestionPrompt;
  #id: number | undefined;
  #wasCovered = false;
  #isExplaining = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, actions: Pick<Actions, "answer" | "interrupt">, prompt: QuestionPrompt) {
    this.#store = store;
    this.#actions = actions;
    this.#prompt = prompt;
    store.subscribe(() => this.#follow());
  }

  /** @returns whether the key was the question's; all others are the prompt's. */
  press(press: Press): boolean {
    const { question } = this.#store.get();
    if (question === undefined) return false;
    if (question.explaining !== undefined) return this.#explain(question, question.explaining, press);
    const command = press.kind === "command" ? press.command : undefined;
    if (command !== undefined && inAnyState.has(command)) return false;
    // Not even a no: the key was meant for something else.
    if (!question.isReady && command === "cancel") return true;
    if (question.isReady && !this.#prompt.hasMenu() && command !== undefined && this.#use(question, command))
      return true;
    this.restart();
    return false;
  }

  /** The keyboard was used for something else: no answer counts until it has been quiet again. */
  restart(): void {
    clearTimeout(this.#timer);
    const { question } = this.#store.get();
    if (question === undefined) return;
    if (question.isReady || question.chosen !== undefined)
      this.#change(question, { isReady: false, chosen: undefined });
    // Keys that have arrived by now are read first.
    this.#timer = setTimeout(() => setImmediate(() => this.#ready(question.id)), QUIET_MS);
  }

  #ready(id: number): void {
    const { question, picker } = this.#store.get();
    if (question?.id !== id || picker !== undefined || question.isReady) return;
    // A draft keeps Enter for itself until an arrow key is pressed.
    this.#change(question, { isReady: true, chosen: this.#prompt.isEmpty() ? 0 : undefined });
  }

  /** A question that has just opened, or can be seen again. */
  #follow(): void {
    const { question, picker } = this.#store.get();
    const isCovered = picker !== undefined;
    const isNew = question?.id !== this.#id;
    this.#id = question?.id;
    // Nobody asks any more: what was being written is not lost.
    if (isNew && this.#isExplaining) this.#endReason({ isKept: true });
    if (question !== undefined && (isNew || (this.#wasCovered && !isCovered)))
      queueMicrotask(() => this.restart());
    this.#wasCovered = isCovered;
  }

  #use(question: OpenQuestion, command: KeyCommand): boolean {
    const step = steps[command];
    if (step !== undefined) {
      this.#change(question, { chosen: movedChoice(question, step) });
      return true;
    }
    if (command === "cancel") {
      if (question.confirming) this.#change(question, { confirming: undefined, chosen: 0 });
      else this.#answer(question, { answer: question.onEscape, stops: question.stopsOnEscape ?? true });
      return true;
    }
    const row = command === "submit" ? answerRows(question)[question.chosen ?? -1] : undefined;
    if (row === undefined) return false;
    this.#choose(question, row);
    return true;
  }

  #choose(question: OpenQuestion, row: QuestionRow): void {
    if (isBack(row)) this.#change(question, { confirming: undefined, chosen: 0 });
    else if (row.confirm !== undefined) this.#change(question, { confirming: row, chosen: 0 });
    else if (row.hasReason === true) {
      this.#isExplaining = true;
      this.#prompt.startReason();
      this.#change(question, { explaining: row });
    } else this.#answer(question, row);
  }

  /** Enter sends the reason, Esc goes back; everything else edits it. */
  #explain(question: OpenQuestion, row: QuestionRow, press: Press): boolean {
    const command = press.kind === "command" ? press.command : undefined;
    if (command === "cancel") {
      this.#endReason();
      this.#change(question, { explaining: undefined });
      this.restart();
      return true;
    }
    if (command !== "submit") return false;
    const reason = this.#endReason();
    this.#answer(question, row, reason.trim());
    return true;
  }

  #endReason({ isKept }: { readonly isKept: boolean } = { isKept: false }): string {
    this.#isExplaining = false;
    return this.#prompt.endReason(isKept);
  }

  #answer({ id }: OpenQuestion, { answer, stops }: Pick<QuestionRow, "answer" | "stops">, reason = ""): void {
    clearTimeout(this.#timer);
    this.#actions.answer(id, { answer, reason });
    if (stops === true) this.#actions.interrupt();
  }

  #change({ id }: OpenQuestion, change: QuestionChange): void {
    this.#store.dispatch({ type: "question_changed", id, change });
  }
}
