/**
 * One session, all of it decided by a seed: a scripted model edits files, runs commands and cells; then it is taken back to a random
 * prompt, and that is undone. What must hold: files, variables and shell are those of that moment, and then those of the end.
 */

import { chance } from "../support/chance.ts";
import { randomTurns } from "./random-calls.ts";
import { differences, EVERYTHING, type RandomPlace, RewoundSession, type State } from "./rewound-session.ts";

/** @returns what did not hold; empty when everything did. */
export async function runRandomSession(seed: number, place: RandomPlace): Promise<string[]> {
  const dice = chance(seed);
  const prompts = 2 + dice.below(4);
  const hasCells = place.venv !== undefined;
  const at = await RewoundSession.open(place, (project) =>
    randomTurns(dice, { prompts, project, hasCells }).flat(),
  );
  const { rewind } = at.session;
  try {
    const states: State[] = [];
    for (let number = 1; number <= prompts; number += 1) {
      states.push(await at.look());
      await at.prompt(`prompt ${number}`);
    }
    const last = await at.look();
    const chosen = dice.pick(rewind.prompts() ?? []);
    await rewind.perform(await rewind.preview(chosen, at.signal), EVERYTHING, at.signal);
    const problems = differences(
      `after going back to prompt ${chosen.number}`,
      await at.look(),
      states[chosen.number - 1],
    );
    const back = await rewind.previewUndo(at.signal);
    if (back === undefined) return [...problems, "there is nothing to undo"];
    await rewind.perform(back, EVERYTHING, at.signal);
    const left = rewind.prompts()?.length;
    return [
      ...problems,
      ...at.warnings,
      ...differences("after the undo", await at.look(), last),
      ...(left === prompts ? [] : [`after the undo there are ${left} prompts of ${prompts}`]),
    ];
  } finally {
    await at.close();
  }
}
