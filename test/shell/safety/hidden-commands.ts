/**
 * Makes shell commands by chance in which `mark` is hidden in every place where bash might run it, or might be made to write: most of
 * them from a grammar or by changes to ordinary safe commands, some around what an option takes for its value.
 */

import { chance } from "../../support/chance.ts";
import parts from "./hidden-commands.json";
import commands from "./known-safe.json";

/** Never ends, or waits. */
const ENDLESS = /while|until|sleep|tail -f|find \/ /;
const ordinary = commands.safe.filter((command) => command.trim() !== "" && !ENDLESS.test(command));

export class HiddenCommands {
  readonly #chance;

  constructor(seed: number) {
    this.#chance = chance(seed);
  }

  make(): string {
    if (this.#chance.below(5) === 0) return this.#misread();
    return this.#chance.below(2) === 0 ? this.#command(3) : this.#changed();
  }

  /** An option that takes a word, and words that may be its value or not. */
  #misread(): string {
    const { below, pick } = this.#chance;
    const words = Array.from({ length: 1 + below(3) }, () => pick(parts.ends));
    return `${below(2) === 0 ? "cd repo && " : ""}echo x | ${[pick(parts.options), ...words].join(" ")}`;
  }

  #command(depth: number): string {
    const { below, pick } = this.#chance;
    if (depth > 0 && below(3) === 0) {
      return pick(parts.shapes).replace(/\b[CW]\b/g, (hole) =>
        hole === "C" ? this.#command(depth - 1) : pick(parts.words),
      );
    }
    if (depth > 0 && below(4) === 0)
      return this.#command(depth - 1) + pick(parts.joins) + this.#command(depth - 1);
    const args = Array.from({ length: below(5) }, () => pick(parts.words));
    return [pick(parts.programs), ...args].join(" ") + (below(5) === 0 ? pick(parts.redirections) : "");
  }

  /** One to three bits of shell somewhere in a command that is safe. */
  #changed(): string {
    const { below, pick } = this.#chance;
    let command = ordinary[below(ordinary.length)] ?? "ls";
    for (let left = 1 + below(3); left > 0; left -= 1) {
      const at = below(command.length + 1);
      const cut = below(3) === 0 ? 1 + below(3) : 0;
      command = command.slice(0, at) + pick(parts.bits) + command.slice(at + cut);
    }
    return command;
  }
}
