/** Keys in quick succession: how long until the last of three is on the screen. */

const ROUNDS = 30;
/** One read each, as of a person who types quickly: what throttles drawing would show. */
const GAP_MS = 2;

interface Typed {
  waitFor(text: string, act: () => unknown): Promise<number>;
  type(keys: string): void;
}

export async function measureBursts(pty: Typed): Promise<number[]> {
  // What a start still writes must not be taken for the keys.
  await Bun.sleep(2_000);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await pty.waitFor("Z", async () => {
        for (const key of "XYZ") {
          pty.type(key);
          await Bun.sleep(GAP_MS);
        }
      }),
    );
    pty.type("\x15");
    await Bun.sleep(300);
  }
  return times;
}
