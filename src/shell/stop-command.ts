/**
 * Stops a command that has reached its time limit or was cancelled. The shell skips what is left of it
 * (SIGURG, see driver.ts), and the processes that the command started are ended: SIGINT → SIGTERM → SIGKILL. Nothing that
 * an earlier command left running is touched. A shell that cannot skip the rest is ended, too.
 */

import { within } from "../async/within.ts";
import type { BashProcess } from "./bash-process.ts";
import { STOP_SIGNAL } from "./driver.ts";
import { endProcesses, interruptSteps } from "./end-processes.ts";
import { commandMembers, type ProcessFacts } from "./processes.ts";

export type StopCause = "timeout" | "cancelled";

export interface Stopped {
  readonly cause: StopCause;
  /** The last signal that was needed. */
  readonly signal: NodeJS.Signals;
}

/** For the shell to come to the end of the command once nothing that it waits for is left, and to end when it does not. */
const [SKIP_MS, SHELL_GRACE_MS] = [1_000, 400];
/** A stop reaches the loops of one function only, and none of them while the shell reads its request. */
const REPEAT_MS = 30;

export interface StoppableShell {
  readonly bash: BashProcess;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** A function, because the shell reports them only after the end of the previous command. */
  readonly earlierJobs: () => readonly number[];
  /** The command has ended, or the shell has. */
  readonly ended: Promise<unknown>;
}

export class StopCommand {
  readonly #shell: StoppableShell;
  #stopping: Promise<Stopped> | undefined;

  constructor(shell: StoppableShell) {
    this.#shell = shell;
  }

  /** The first cause wins. */
  start(cause: StopCause): void {
    this.#stopping ??= this.#stop(cause);
  }

  /** Resolves when everything has ended; undefined when nothing was stopped. */
  async finish(): Promise<Stopped | undefined> {
    return this.#stopping;
  }

  async #stop(cause: StopCause): Promise<Stopped> {
    const { bash, ended } = this.#shell;
    bash.signalShell(STOP_SIGNAL);
    const repeat = setInterval(() => bash.signalShell(STOP_SIGNAL), REPEAT_MS);
    try {
      const sent = await endProcesses(() => this.members(), interruptSteps);
      // A shell that is busy with itself continues at its next command; one that waits for a file to open does not.
      const ends: readonly [NodeJS.Signals, number][] = [
        ["SIGTERM", SKIP_MS],
        ["SIGKILL", SHELL_GRACE_MS],
      ];
      let last = sent ?? "SIGINT";
      for (const [signal, afterMs] of ends) {
        if (await within(ended, afterMs)) break;
        bash.signalShell(signal);
        last = signal;
      }
      await ended;
      // The shell may have started something just before.
      const more = await endProcesses(() => this.members(), interruptSteps);
      return { cause, signal: more ?? last };
    } finally {
      clearInterval(repeat);
    }
  }

  /** What the command has started and still runs. */
  members(): readonly ProcessFacts[] {
    const { bash, startedAt, earlierJobs } = this.#shell;
    const members = commandMembers(bash.members(), startedAt, earlierJobs());
    // A program that replaced the shell with `exec` is the command.
    return bash.isReplaced ? [...members, bash.facts] : members;
  }
}
