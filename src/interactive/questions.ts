/** Questions before calls: one at a time on the screen, the others wait. */

import type { ApprovalAnswer, ApprovalQuestion } from "../app/toolbox.ts";
import { onAbort } from "../async/abort.ts";
import type { Store } from "../ui/store/store.ts";

interface Open {
  readonly id: number;
  readonly asked: ApprovalQuestion;
  readonly answer: (answer: ApprovalAnswer) => void;
}

export class Questions {
  readonly #store: Store;
  #open: Open[] = [];
  #count = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  readonly ask = (asked: ApprovalQuestion): Promise<ApprovalAnswer> => {
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
    this.#count += 1;
    const id = this.#count;
    this.#open.push({ id, asked, answer: resolve });
    const stopListening = onAbort(asked.signal, () => this.answer(id, "no"));
    this.#show();
    return promise.finally(stopListening);
  };

  answer(id: number, answer: ApprovalAnswer): void {
    const found = this.#open.find((open) => open.id === id);
    if (!found) return;
    this.#open = this.#open.filter((open) => open !== found);
    found.answer(answer);
    this.#store.dispatch({ type: "answered", id });
    this.#show();
  }

  #show(): void {
    const [first] = this.#open;
    if (!first || this.#store.get().question?.id === first.id) return;
    const { subject, reason } = first.asked;
    this.#store.dispatch({
      type: "asked",
      question: {
        id: first.id,
        tool: subject.tool,
        subject: subject.command ?? subject.summary,
        reason,
        links: subject.links.map(({ path, target }) => `${path} → ${target}`),
        patterns: subject.patterns ?? [],
        covers: subject.covers,
      },
    });
  }
}
