/**
 * A random session in which the kernel, or a copy of it that waits, is killed: while a prompt runs, or while the session is taken back.
 * What must hold: files and shell go back as if nothing had happened. Variables are those of the chosen moment, or omp says that
 * they are not and leaves them alone; a kernel that is empty instead is said to be a new one. Nothing is left when the session is over.
 */

import { listStats } from "../../src/process/proc.ts";
import { killNow } from "../faults/fault-home.ts";
import { processesWith } from "../support/processes.ts";
import type { RewindKill } from "./kills.ts";
import { type Chance, randomTurns } from "./random-calls.ts";
import { differences, EVERYTHING, type RandomPlace, RewoundSession, type State } from "./rewound-session.ts";

export type KernelVictim = "kernel" | "checkpoint";

type Moment = "prompt" | "return" | "undo";
type Preview = Parameters<RewoundSession["session"]["rewind"]["perform"]>[0];

const MAX_DELAY_MS = { prompt: 300, return: 60, undo: 60 };
const ALL_BUT_VARIABLES = ["files", "shell"] as const;

export async function runKernelKill(
  victim: KernelVictim,
  dice: Chance,
  place: RandomPlace,
): Promise<RewindKill> {
  const prompts = 3 + dice.below(3);
  const at = await RewoundSession.open(place, (project) =>
    randomTurns(dice, { prompts, project, hasCells: true }).flat(),
  );
  const outcome = await new KernelKillRun(at, victim, dice).go(prompts).finally(() => at.close());
  const left = processesWith(`HOME=${at.home}`);
  const problems = left.length === 0 ? [] : [`${left.length} processes are left`];
  return { ...outcome, problems: [...outcome.problems, ...problems] };
}

class KernelKillRun {
  readonly #at: RewoundSession;
  readonly #victim: KernelVictim;
  readonly #dice: Chance;
  readonly #moment: Moment;
  readonly #problems: string[] = [];
  #isStruck = false;

  constructor(at: RewoundSession, victim: KernelVictim, dice: Chance) {
    [this.#at, this.#victim, this.#dice] = [at, victim, dice];
    this.#moment = dice.pick(["prompt", "prompt", "return", "undo"]);
  }

  async go(prompts: number): Promise<RewindKill> {
    const { rewind } = this.#at.session;
    const states: State[] = [];
    const fatal = 1 + this.#dice.below(prompts);
    for (let number = 1; number <= prompts; number += 1) {
      const state = await this.#at.look();
      states.push(state);
      const run = this.#at.prompt(`prompt ${number}`);
      await Promise.all([run, number === fatal && this.#strikeAt("prompt", state)]);
    }
    const last = await this.#at.look();
    const chosen = this.#dice.pick(rewind.prompts() ?? []);
    const then = states[chosen.number - 1];
    if (then === undefined) return { isStruck: this.#isStruck, problems: ["the log has other prompts"] };
    const where = `back at prompt ${chosen.number} of ${prompts} (killed in ${this.#moment} ${fatal})`;
    await this.#goTo(where, then, last, "return", () => rewind.preview(chosen, this.#at.signal));
    await this.#goTo("after the undo", last, await this.#at.look(), "undo", async () => {
      const back = await rewind.previewUndo(this.#at.signal);
      if (back === undefined) throw new Error("there is nothing to undo");
      return back;
    });
    return { isStruck: this.#isStruck, problems: [...this.#problems, ...this.#at.warnings] };
  }

  async #goTo(where: string, then: State, before: State, moment: Moment, look: () => Promise<Preview>) {
    const { rewind } = this.#at.session;
    const going = async () => await rewind.perform(await look(), EVERYTHING, this.#at.signal);
    const [{ variables }] = await Promise.all([going(), this.#strikeAt(moment, before)]);
    const now = await this.#at.look();
    this.#problems.push(...differences(where, now, then, ALL_BUT_VARIABLES));
    // The kernel that was brought back, or the one that was there, may have been killed right after.
    if (now.hasLostVariables && this.#victim === "kernel" && this.#moment === moment) return;
    const isBack = variables !== undefined && !("reason" in variables);
    const expected = isBack ? then : before;
    this.#problems.push(
      ...differences(`${where}, variables ${isBack ? "" : "not "}back`, now, expected, ["variables"]),
    );
  }

  async #strikeAt(moment: Moment, { kernel }: State): Promise<void> {
    if (moment !== this.#moment) return;
    await Bun.sleep(this.#dice.below(MAX_DELAY_MS[moment]));
    const victims = this.#victim === "kernel" ? [kernel] : siblingsOf(kernel);
    if (victims.length === 0) return;
    killNow(this.#dice.pick(victims));
    this.#isStruck = true;
  }
}

/** Kernels and their copies are children of the fork server. */
function siblingsOf(kernel: number): number[] {
  const stats = listStats();
  const server = stats.find(({ pid }) => pid === kernel)?.parent;
  return stats.filter(({ parent, pid }) => parent === server && pid !== kernel).map(({ pid }) => pid);
}
