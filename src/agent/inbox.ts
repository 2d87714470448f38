/** What the model reads before its next turn: what ended in the background, and what was said to it while it worked. */

import type { AgentEvent, UserMessage } from "../protocol/index.ts";

export type Announced = Extract<AgentEvent, { type: "user" }>;

export interface BackgroundWork {
  /** Their names. */
  readonly working: readonly string[];
  /** Throws the signal's reason. */
  untilEnded(signal: AbortSignal): Promise<void>;
  endAll(): Promise<void>;
}

export interface InboxOptions {
  /** What the model should read before its next turn, such as that background work has ended. */
  readonly announcements?: () => readonly Announced[];
  /** Where nobody speaks after the run: it waits for what works in the background, and ends it where it is stopped. */
  readonly background?: BackgroundWork | undefined;
}

export class Inbox {
  readonly #options: InboxOptions;
  #queued: readonly UserMessage[] = [];

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** What was said, and not read yet. */
  get queued(): readonly UserMessage[] {
    return this.#queued;
  }

  add(message: UserMessage): void {
    this.#queued = [...this.#queued, message];
  }

  /** @returns the messages that were removed. */
  remove(isRemoved: (message: UserMessage) => boolean): UserMessage[] {
    const { removed = [], kept = [] } = Object.groupBy(this.#queued, (message) =>
      isRemoved(message) ? "removed" : "kept",
    );
    this.#queued = kept;
    return removed;
  }

  take(): readonly Announced[] {
    const said = this.remove(() => true).map((message) => ({ type: "user" as const, message }));
    return [...this.#announced(), ...said];
  }

  /** The names of what a run without more to do waits for. */
  get awaited(): readonly string[] {
    return this.#options.background?.working ?? [];
  }

  /** What ended in the background; where a run waits for it, all of it. Throws the signal's reason. */
  async takeAwaited(signal: AbortSignal): Promise<readonly Announced[]> {
    const { background } = this.#options;
    if (background === undefined) return [];
    await background.untilEnded(signal);
    return this.#announced();
  }

  /** The run is over, and what it would have waited for with it. */
  async takeLast(): Promise<readonly Announced[]> {
    const { background } = this.#options;
    if (background === undefined) return [];
    await background.endAll();
    return this.#announced();
  }

  #announced(): readonly Announced[] {
    return this.#options.announcements?.() ?? [];
  }
}
