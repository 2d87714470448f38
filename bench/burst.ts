/** Keys in quick succession: how long until the last of three is on the screen. */

import { median } from "./report.ts";

const ROUNDS = 30;
/** One read each, as of a person who types quickly: what throttles drawing would show. */
const GAP_MS = 2;
/** What a start still writes must not be taken for the keys. */
const SETTLE_MS = 3_000;
const PAUSE_MS = 300;

export interface Typed {
  waitFor(text: string, act: () => unknown): Promise<number>;
  type(keys: string): void;
}

/** The median of each program. They take turns, so that whatever else the machine does slows all of them alike. */
export async function measureBursts(programs: ReadonlyMap<string, Typed>): Promise<Map<string, number>> {
  await Bun.sleep(SETTLE_MS);
  const times = new Map<string, number[]>([...programs.keys()].map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, program] of programs) {
      times.get(name)?.push(await program.waitFor("Z", () => typeBurst(program)));
      program.type("\x15");
      await Bun.sleep(PAUSE_MS);
    }
  return new Map([...times].map(([name, ms]) => [name, median(ms)]));
}

async function typeBurst(program: Typed): Promise<void> {
  for (const key of "XYZ") {
    program.type(key);
    await Bun.sleep(GAP_MS);
  }
}
