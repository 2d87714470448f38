/**
 * Finds what a program has started by a variable in its environment: also what moved to a session of its own with `setsid`, and
 * what lost its parent. Out of reach is what clears its environment. Linux only: other systems do not show environments.
 */

import { readFileSync } from "node:fs";
import { attempt, systemCode } from "../protocol/index.ts";
import { listStats, type ProcessStat, readStat } from "./proc.ts";

const VARIABLE = "OMP_RUN";
/** What is being killed may still start more. */
const MAX_LOOKS = 20;
const LOOK_MS = 5;

export class Tag {
  /** As it stands in an environment. */
  readonly text: string;
  readonly #value = crypto.randomUUID();
  #firstTick = 0;

  constructor() {
    this.text = `${VARIABLE}=${this.#value}`;
  }

  /** For the environment of the program. */
  get variable(): Record<string, string> {
    return { [VARIABLE]: this.#value };
  }

  /** Nothing that is older than the program can be its doing. */
  startsWith(pid: number): void {
    this.#firstTick = Number(readStat(pid)?.started ?? 0);
  }

  /** What of it runs. */
  find(): ProcessStat[] {
    return findTagged(this.text, this.#firstTick);
  }

  /** @returns whether there was anything to signal. */
  signal(signal: NodeJS.Signals): boolean {
    return signalAll(this.find(), signal);
  }

  /** Kills until nothing is left. @returns whether there was anything. */
  async end(): Promise<boolean> {
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      if (!this.signal("SIGKILL")) return look > 0;
      await Bun.sleep(LOOK_MS);
    }
    return true;
  }
}

/** @param text of a tag. @param firstTick leaves out what is older. */
export function findTagged(text: string, firstTick = 0): ProcessStat[] {
  return listStats()
    .filter(({ pid, started }) => pid !== process.pid && Number(started) >= firstTick)
    .filter(({ pid }) => environmentOf(pid).includes(text));
}

/** @returns whether there was anything to signal. */
export function signalAll(found: readonly Pick<ProcessStat, "pid">[], signal: NodeJS.Signals): boolean {
  for (const { pid } of found) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
    }
  }
  return found.length > 0;
}

/** As the system shows it; empty for a process that is gone or belongs to another user. */
function environmentOf(pid: number): string {
  return attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
}
