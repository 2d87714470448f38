/**
 * Finds what a program has started by a variable in its environment: also what moved to a session of its own with `setsid`, and
 * what lost its parent. Out of reach is what clears its environment. Linux only: other systems do not show environments.
 */

import { readFileSync } from "node:fs";
import { attempt, systemCode } from "../protocol/index.ts";
import { listStats, readStat } from "./proc.ts";

const VARIABLE = "OMP_RUN";
/** What is being killed may still start more. */
const MAX_LOOKS = 20;
const LOOK_MS = 5;

export class Tag {
  readonly #value = crypto.randomUUID();
  #firstTick = 0;

  /** For the environment of the program. */
  get variable(): Record<string, string> {
    return { [VARIABLE]: this.#value };
  }

  /** Nothing that is older than the program can be its doing. */
  startsWith(pid: number): void {
    this.#firstTick = Number(readStat(pid)?.started ?? 0);
  }

  /** @returns whether there was anything to signal. */
  signal(signal: NodeJS.Signals): boolean {
    const found = this.#find();
    for (const pid of found) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
      }
    }
    return found.length > 0;
  }

  /** Kills until nothing is left. @returns whether there was anything. */
  async end(): Promise<boolean> {
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      if (!this.signal("SIGKILL")) return look > 0;
      await Bun.sleep(LOOK_MS);
    }
    return true;
  }

  #find(): number[] {
    const entry = `${VARIABLE}=${this.#value}`;
    const young = listStats().filter(({ started }) => Number(started) >= this.#firstTick);
    return young
      .map(({ pid }) => pid)
      .filter((pid) => pid !== process.pid && environmentOf(pid).includes(entry));
  }
}

/** As the system shows it; empty for a process that is gone or belongs to another user. */
function environmentOf(pid: number): string {
  return attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
}
