/**
 * The calls that wait for a server's answer. Each has a limited time, which starts again with every sign of progress, and stands still
 * while the server asks the user something.
 */

export interface OpenCall {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** The server has shown that it is at work. */
  readonly restart: () => void;
  readonly end: () => void;
}

interface Timed {
  readonly controller: AbortController;
  readonly limitMs: number;
  readonly holdTime: () => () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class OpenCalls {
  readonly #open = new Set<Timed>();
  /** How many questions the user is asked. */
  #questions = 0;
  #over = new AbortController();

  start(limitMs: number, holdTime: () => () => void = () => () => undefined): OpenCall {
    const call: Timed = { controller: new AbortController(), limitMs, holdTime, timer: undefined };
    this.#open.add(call);
    const restart = () => this.#restart(call);
    restart();
    return { signal: call.controller.signal, restart, end: () => this.#end(call) };
  }

  /** The user is asked: no call's time runs. @returns what ends that. */
  hold(): () => void {
    this.#questions += 1;
    const calls = [...this.#open];
    for (const { timer } of calls) clearTimeout(timer);
    const releases = calls.map(({ holdTime }) => holdTime());
    return () => {
      this.#questions -= 1;
      for (const release of releases) release();
      for (const call of this.#open) this.#restart(call);
    };
  }

  /** Aborts when no call is left that a question could belong to; never where none was open when it was asked. */
  get left(): AbortSignal | undefined {
    return this.#open.size === 0 ? undefined : this.#over.signal;
  }

  #restart(call: Timed): void {
    clearTimeout(call.timer);
    if (this.#questions === 0 && this.#open.has(call))
      call.timer = setTimeout(() => call.controller.abort(), call.limitMs);
  }

  #end(call: Timed): void {
    clearTimeout(call.timer);
    this.#open.delete(call);
    if (this.#open.size > 0) return;
    this.#over.abort();
    this.#over = new AbortController();
  }
}
