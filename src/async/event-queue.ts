/** Events from several producers as one iterable: what lets a tool's output appear while the tool still runs. */

export class EventQueue<Event> implements AsyncIterable<Event> {
  #pending: Event[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  push(event: Event): void {
    this.#pending.push(event);
    this.#wakeUp();
  }

  /** What was pushed before is still delivered. */
  end(): void {
    this.#isOver = true;
    this.#wakeUp();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, void> {
    while (true) {
      const batch = this.#pending;
      this.#pending = [];
      yield* batch;
      if (this.#pending.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
