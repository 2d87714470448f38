/**
 * A first word that is nearly the name of a command was meant as one, and is not sent to a model: `omp sesions`, `omp kernal list`. A
 * sentence in quotes is a prompt whatever it starts with, and so is anything after `--`.
 */

import { editDistance } from "../format/nearest.ts";

export interface NamedCommand {
  readonly name: string;
  /** What may follow the name: `list`, `show`. */
  readonly actions: readonly string[];
}

/** @returns the name of the command that was meant, if one was. */
export function misspeltCommand(
  [first = "", second]: readonly string[],
  commands: readonly NamedCommand[],
): string | undefined {
  const word = first.toLowerCase();
  const near = commands
    .filter(({ actions }) => second === undefined || actions.includes(second))
    .map(({ name }) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= maxDistance(name))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name;
}

/** Many words are close to a short name: those are prompts. */
function maxDistance({ length }: string): number {
  return length < 4 ? 0 : length < 6 ? 1 : 2;
}
