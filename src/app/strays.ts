/**
 * What a session's kernel and shells have started, and what has left their process sessions (`setsid`, daemons): it ends with the session,
 * also when omp is killed. Found by a variable in its environment.
 */

import type { ProcessStat } from "../process/proc.ts";
import { signalAll, Tag } from "../process/tagged.ts";
import { sharedWatchdog } from "../process/watchdog.ts";

/** For what is ending at this moment anyway. */
const SETTLE_MS = 200;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000;
const LOOK_MS = 10;

export class Strays {
  readonly #tag = new Tag();
  #release: (() => void) | undefined;

  /** For the environment of everything that the session starts. */
  readonly variables = (): Record<string, string> => {
    if (this.#release === undefined) this.#tag.startsWith(process.pid);
    this.#release ??= sharedWatchdog().guardTag(this.#tag);
    return this.#tag.variable;
  };

  /** When kernel and shells have ended. @param isIdle nothing has run in them: there is nothing to search for. @returns a line about each program that had to be ended. */
  async end({ isIdle = false } = {}): Promise<readonly string[]> {
    if (this.#release === undefined) return [];
    const left = isIdle ? [] : await this.#leftAfter(SETTLE_MS);
    if (left.length > 0) {
      signalAll(left, "SIGTERM");
      await this.#leftAfter(GRACE_MS);
      await this.#tag.end();
    }
    this.#release();
    return left.map(({ name }) => `omp: ${name}, left running in its own session, was stopped`);
  }

  /** At once where there is nothing. */
  async #leftAfter(limitMs: number): Promise<readonly ProcessStat[]> {
    const until = performance.now() + limitMs;
    for (;;) {
      const left = this.#tag.find();
      if (left.length === 0 || performance.now() > until) return left;
      await Bun.sleep(LOOK_MS);
    }
  }
}
