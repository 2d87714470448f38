/** A session in which only the user did something is a session like any other. */

import { expect, test } from "bun:test";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

test("what the user ran is kept without a prompt, listed, and shown when it is resumed", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const args = ["-m", scriptModel(place, [])];
  const env = { PI_PY: "0" };
  const first = openScreen({ place, args, env });
  await first.waitFor("no Python");
  await done(first, "!echo of mine");
  await done(first, "!echo bad; exit 3");
  await done(first, "!!echo for me alone");
  first.type("\x04");
  expect(await first.ended()).toBe(0);
  expect(first.text).toMatch(/Resume with: omp --resume [0-9a-f-]{36}$/);
  const { stdout } = await omp(["sessions", "list"], { place });
  expect(stdout).toContain("!echo of mine");

  const second = openScreen({ place, args: [...args, "--continue"], env });
  await second.waitFor("Resumed");
  expect(second.text).toContain("✓ bash\n  $ echo of mine\n  of mine\n");
  expect(second.text).toContain("  $ echo for me alone\n  for me alone\n  (hidden from the model)\n");
  // Of all that was printed, not of what is kept of it.
  await done(second, "!seq 1 5000");
  expect(second.allText).toContain("  $ seq 1 5000\n  … 4,980 earlier lines (Alt+O)\n  4981\n");
  expect(second.allText).toMatch(/✗ bash.*\n {2}\$ echo bad; exit 3\n {2}bad\n/);
});
