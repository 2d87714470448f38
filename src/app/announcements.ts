/** Brings what ended in the background into the conversation: before the model's next turn, or at once where nothing runs. */

import type { Announced } from "../agent/inbox.ts";
import type { AgentEvent } from "../protocol/index.ts";

export class Announcements {
  readonly #keep: (announced: Announced) => void;
  #waiting: (() => Announced)[] = [];
  #runs = 0;

  /** @param keep makes it part of the conversation while nothing runs. */
  constructor(keep: (announced: Announced) => void) {
    this.#keep = keep;
  }

  /** @param announced what is to be said when it is: a cell may have read the answer by then. */
  readonly add = (announced: () => Announced): void => {
    if (this.#runs === 0) this.#keep(announced());
    else this.#waiting.push(announced);
  };

  /** For the model that works. */
  take(): readonly Announced[] {
    return this.#waiting.splice(0).map((announced) => announced());
  }

  /** A run, to its end: what the model did not read any more is there for the next one. */
  async *during(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void, void> {
    this.#runs += 1;
    try {
      yield* events;
    } finally {
      this.#runs -= 1;
      if (this.#runs === 0) for (const announced of this.take()) this.#keep(announced);
    }
  }
}
