/**
 * Stops a command that has reached its time limit or was cancelled. The shell itself is interrupted
 * (SIGURG, see driver.ts), and the processes that the command started are ended: SIGINT → SIGTERM → SIGKILL. Nothing that
 * an earlier command left running is touched.
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

/** For the shell to end once nothing that it waits for is left. */
const SHELL_GRACE_MS = 400;

export class StopCommand {
  readonly #bash: BashProcess;
  readonly #startedAt: number;
  readonly #earlierJobs: () => readonly number[];
  #stopping: Promise<Stopped> | undefined;

  /** @param earlierJobs a function, because the shell reports them only after the end of the previous command. */
  constructor(bash: BashProcess, startedAt: number, earlierJobs: () => readonly number[]) {
    this.#bash = bash;
    this.#startedAt = startedAt;
    this.#earlierJobs = earlierJobs;
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
    this.#bash.signalShell(STOP_SIGNAL);
    const sent = await endProcesses(() => this.members(), interruptSteps);
    // A shell that is busy with itself ends at the next command of its own; one that waits for a file to open does not.
    const ends: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL"];
    let last = sent ?? "SIGINT";
    for (const signal of ends) {
      if (await within(this.#bash.exited, SHELL_GRACE_MS)) break;
      this.#bash.signalShell(signal);
      last = signal;
    }
    await this.#bash.exited;
    // The shell may have started something just before its end.
    const more = await endProcesses(() => this.members(), interruptSteps);
    return { cause, signal: more ?? last };
  }

  /** What the command has started and still runs. */
  members(): readonly ProcessFacts[] {
    const bash = this.#bash;
    const members = commandMembers(bash.pid, this.#startedAt, this.#earlierJobs());
    // A program that replaced the shell with `exec` is the command.
    return bash.isReplaced ? [...members, bash.facts] : members;
  }
}
