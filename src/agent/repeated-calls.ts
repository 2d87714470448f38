/** Notices a model that goes round in circles: turn after turn the same calls with the same results. */

import type { ToolCallContent, ToolMessage } from "../protocol/index.ts";

/** Equal turns in a row after which the model gets a note, and after which the run stops. */
export const TELL_AFTER = 3;
export const STOP_AFTER = 5;

export class RepeatedCalls {
  #last: bigint | number = 0;
  #turns = 0;

  /** @returns how many turns in a row, this one included, had these calls and these results. */
  add(calls: readonly ToolCallContent[], results: readonly ToolMessage[]): number {
    const made = calls.map(({ name, input }) => [name, input]);
    const got = results.map(({ output, images }) => [output, images]);
    // Results may be long: only their hash is kept.
    const hash = Bun.hash(JSON.stringify([made, got]));
    this.#turns = hash === this.#last ? this.#turns + 1 : 1;
    this.#last = hash;
    return this.#turns;
  }

  /** The user has said something: a call may make sense again. */
  forget(): void {
    this.#turns = 0;
  }
}
