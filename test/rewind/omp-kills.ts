/**
 * A session of several runs of omp, of which one is killed: a prompt, at any moment from its start to its end, or the return to an
 * earlier prompt. What must hold: nothing is left running or lying about; variables of an earlier moment are not taken for the present
 * ones; and a return brings back the files of the moment that was chosen, also when an earlier one was killed half-way.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "../../src/history/entry.ts";
import { type Prompt, promptsIn } from "../../src/history/prompts.ts";
import { readSession } from "../../src/history/read.ts";
import { FaultHome, type FaultPlace, killNow } from "../faults/fault-home.ts";
import { stateOf } from "../support/tree-state.ts";
import type { RewindKill } from "./kills.ts";
import { type Chance, randomTurns } from "./random-calls.ts";

/** A run with a kernel takes about a second, a return a quarter of that. */
const MAX_DELAY_MS = { prompt: 1_200, return: 300 };
/** Written by the tests themselves. */
const OURS = ["script.json", ".git", "a.log", "seen"];
const LOOK = `try: seen = value
except NameError: seen = None
with open("seen", "w") as file: _ = file.write(str(seen))`;

export async function runOmpKill(dice: Chance, place: FaultPlace): Promise<RewindKill> {
  return await new OmpKillRun(dice, new FaultHome(place)).go();
}

class OmpKillRun {
  readonly #dice: Chance;
  readonly #at: FaultHome;
  readonly #moment: "prompt" | "return";
  readonly #problems: string[] = [];
  #isStruck = false;

  constructor(dice: Chance, at: FaultHome) {
    [this.#dice, this.#at] = [dice, at];
    this.#moment = dice.pick(["prompt", "prompt", "return"]);
    mkdirSync(join(at.home, ".omp/agent"), { recursive: true });
    writeFileSync(join(at.home, ".omp/agent/omp.jsonc"), '{"python": {"keepState": true}}');
  }

  async go(): Promise<RewindKill> {
    const count = 2 + this.#dice.below(2);
    const states: Record<string, string>[] = [];
    for (let number = 1; number <= count; number += 1) {
      states.push(this.#files());
      await this.#prompt(number, { isKilled: this.#moment === "prompt" && number === count });
    }
    const chosen = this.#prompts().length > 0 ? this.#dice.pick(this.#prompts()) : undefined;
    const then = states[(chosen?.number ?? 0) - 1];
    if (this.#dice.below(2) === 0) await this.#compareVariables(count);
    if (chosen !== undefined && then !== undefined) await this.#goTo(chosen, then);
    this.#problems.push(...(await this.#at.findLeft()));
    return { isStruck: this.#isStruck, problems: this.#problems };
  }

  async #prompt(number: number, { isKilled }: { readonly isKilled: boolean }): Promise<void> {
    const { project } = this.#at;
    const cell = { name: "python", input: { cells: [{ code: `value = ${number}` }] } };
    const [random = []] = randomTurns(this.#dice, { prompts: 1, project, hasCells: false });
    const args = ["-p", `prompt ${number}`, ...(this.#log === undefined ? [] : ["--continue"])];
    await this.#run(args, [{ toolCalls: [cell] }, ...random], isKilled ? "prompt" : undefined);
  }

  /** Those of the end of the last run, or none where cells may have run since they were kept. */
  async #compareVariables(count: number): Promise<void> {
    if (this.#log === undefined) return;
    const entries = readSession(this.#log).entries;
    const hasRun = (number: number) => callsOf(entries, promptsIn(entries)[number - 1]).includes("python");
    const latest = hasRun(count) ? count : count - 1;
    const model = [
      { toolCalls: [{ name: "python", input: { cells: [{ code: LOOK }] } }] },
      { text: "Seen." },
    ];
    await this.#run(["-p", "look", "--continue"], model);
    const path = join(this.#at.project, "seen");
    const seen = existsSync(path) ? readFileSync(path, "utf8") : "nothing";
    const isRight = seen === String(latest) || (this.#isStruck && hasRun(count) && seen === "None");
    if (!isRight) this.#problems.push(`value is ${seen} and was ${latest}`);
    rmSync(path, { force: true });
  }

  async #goTo({ number }: Prompt, then: Readonly<Record<string, string>>): Promise<void> {
    const last = this.#files();
    const rewind = ["sessions", "rewind", this.#id];
    if (this.#moment === "return") {
      await this.#run([...rewind, "--to", `${number}`], undefined, "return");
      const now = this.#files();
      for (const name of differing(now, then).filter((each) => now[each] !== last[each]))
        this.#problems.push(`half-way, ${name} is ${now[name]}, and neither ${last[name]} nor ${then[name]}`);
    }
    // Unless the killed one had done it all.
    if (this.#prompts().length >= number) await this.#run([...rewind, "--to", `${number}`]);
    this.#compare(`back at prompt ${number}`, then);
    if (this.#moment === "return") return;
    await this.#run([...rewind, "--undo"]);
    this.#compare("after the undo", last);
  }

  async #run(args: readonly string[], turns?: readonly object[], kill?: "prompt" | "return"): Promise<void> {
    const child = this.#at.spawn(args, turns);
    if (kill !== undefined) {
      await Bun.sleep(this.#dice.below(MAX_DELAY_MS[kill]));
      this.#isStruck = child.exitCode === null;
      this.#at.noteDirectories();
      killNow(child.pid);
    }
    this.#problems.push(...(await this.#at.untilEnded(child)));
    if (kill === undefined && child.exitCode !== 0)
      this.#problems.push(`omp ${args.join(" ")} ended with ${child.exitCode}`);
  }

  #compare(when: string, then: Readonly<Record<string, string>>): void {
    const now = this.#files();
    for (const name of differing(now, then))
      this.#problems.push(`${when}, ${name} is ${now[name]} and was ${then[name]}`);
  }

  #files(): Record<string, string> {
    return stateOf(this.#at.project, { except: OURS });
  }

  #prompts(): readonly Prompt[] {
    return this.#log === undefined ? [] : promptsIn(readSession(this.#log).entries);
  }

  get #log(): string | undefined {
    return this.#at.logs()[0];
  }

  get #id(): string {
    return this.#log === undefined ? "" : String(readSession(this.#log).header.id);
  }
}

function callsOf(entries: readonly SessionEntry[], prompt: Prompt | undefined): string[] {
  if (prompt === undefined) return [];
  return entries.slice(prompt.index).flatMap((entry) => (entry.type === "tool_call" ? [entry.name] : []));
}

function differing(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => one[name] !== other[name],
  );
}
