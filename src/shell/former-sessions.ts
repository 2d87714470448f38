/** Sessions whose shell is gone but whose background jobs may still run: they end with omp. */

import type { BashProcess } from "./bash-process.ts";
import { listProcesses, type ProcessFacts } from "./processes.ts";

export class FormerSessions {
  readonly #shells = new Map<number, Pick<BashProcess, "session" | "releaseGuard">>();

  add(shell: Pick<BashProcess, "session" | "releaseGuard">): void {
    this.#shells.set(shell.session, shell);
    this.members();
  }

  /** Forgets the sessions that are empty by now. */
  members(): ProcessFacts[] {
    if (this.#shells.size === 0) return [];
    const all = listProcesses();
    const members: ProcessFacts[] = [];
    for (const [session, shell] of this.#shells) {
      const inIt = all.filter((facts) => facts.session === session);
      // A process with the number of the dead shell: the session was empty, and the system has reused the number.
      if (inIt.length > 0 && !inIt.some(({ pid }) => pid === session)) {
        members.push(...inIt);
        continue;
      }
      shell.releaseGuard();
      this.#shells.delete(session);
    }
    return members;
  }

  release(): void {
    for (const { releaseGuard } of this.#shells.values()) releaseGuard();
    this.#shells.clear();
  }
}
