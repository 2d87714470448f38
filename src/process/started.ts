/**
 * A program that was started, as the outside sees it. In a sandbox with process ids of its own there are three processes: the one that
 * omp has started and that reports how the program ended, the first one inside, which leads the program's group and session and takes
 * everything inside with it, and the program, which is the second one inside.
 *
 *   omp ── keeper ── leader (1 inside) ── program (2 inside) ── …
 *
 * Elsewhere all three are one. Numbers are those of the outside, unless they are called inner ones.
 */

import { readFileSync } from "node:fs";
import { attempt } from "../protocol/index.ts";
import type { Confinement } from "./confinement.ts";
import { killGroup } from "./group.ts";
import { listStats } from "./proc.ts";

const INNER_LEADER = 1;
const INNER_PROGRAM = 2;

export class Started {
  readonly #keeper: number;
  readonly #hasOwnPids: boolean;
  #leader: number | undefined;
  #program: number | undefined;

  /** @param keeper leads a group and session of its own. */
  constructor(keeper: number, confinement?: Pick<Confinement, "hasOwnPids"> | undefined) {
    this.#keeper = keeper;
    this.#hasOwnPids = confinement?.hasOwnPids ?? false;
  }

  /** The leader of the program's group and session; the keeper while there is none yet. */
  get group(): number {
    return this.#findLeader() ?? this.#keeper;
  }

  /** Undefined while it is not there yet, or no longer. */
  get program(): number | undefined {
    if (!this.#hasOwnPids) return this.#keeper;
    const leader = this.#findLeader();
    if (leader !== undefined) this.#program ??= this.#find(leader, INNER_PROGRAM);
    return this.#program;
  }

  /** Whether a process only keeps the sandbox, and is not part of what was started. */
  isSandbox(pid: number): boolean {
    return this.#hasOwnPids && (pid === this.#keeper || pid === this.#leader);
  }

  /** The child of the program that has this number inside; undefined when there is none. */
  childByInnerPid(inner: number): number | undefined {
    const { program } = this;
    if (!this.#hasOwnPids) return inner;
    return program === undefined ? undefined : this.#find(program, inner);
  }

  /** To the program's group. @returns false when it is gone. */
  signal(signal: NodeJS.Signals): boolean {
    return killGroup(this.group, signal);
  }

  /** Ends everything. In a sandbox the keeper goes last, so that its end means that nothing is left. */
  kill(): void {
    if (this.group === this.#keeper || !killGroup(this.group, "SIGKILL")) killGroup(this.#keeper, "SIGKILL");
  }

  #findLeader(): number | undefined {
    if (!this.#hasOwnPids) return this.#keeper;
    this.#leader ??= this.#find(this.#keeper, INNER_LEADER);
    return this.#leader;
  }

  #find(parent: number, inner: number): number | undefined {
    return childrenOf(parent).find((pid) => innerPid(pid) === inner);
  }
}

function childrenOf(parent: number): number[] {
  const listed = attempt(() => readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8"));
  if (listed !== undefined) return listed.split(" ").filter(Boolean).map(Number);
  // Not every kernel is built with that file.
  return listStats()
    .filter((stat) => stat.parent === parent)
    .map(({ pid }) => pid);
}

/** A process's number in the innermost namespace that it belongs to; undefined when it is gone. */
export function innerPid(pid: number): number | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "";
  const numbers = /^NSpid:\s*(.*)$/m.exec(status)?.[1]?.split(/\s+/);
  return numbers === undefined ? undefined : Number(numbers.at(-1));
}
