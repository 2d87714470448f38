/** omp is killed in the middle of something; the session goes on as if it had ended. */

import { expect, test } from "bun:test";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const env = { PI_PY: "0" };

test("a call that a killed omp left without a result is over, and what comes after it scrolls off as always", async () => {
  const place = temporaryPlace();
  const command = { name: "bash", input: { command: "echo begun; sleep 60" } };
  const first = openScreen({ place, args: ["-m", scriptModel(place, [{ toolCalls: [command] }])], env });
  await first.waitFor("no Python");
  first.type("go\r");
  await first.waitFor("  begun\n");
  await first.kill();

  const second = openScreen({ place, args: ["-c", "-m", scriptModel(place, [])], env });
  await second.waitFor(({ text }) => text.includes("no Python") && text.includes("Resumed "));
  expect(second.text).toContain("✗ bash\n  $ echo begun; sleep 60\n  omp exited before this call finished\n");
  second.type("!seq 1 40\r");
  // Its heading is above the screen then.
  await second.waitFor(({ allText }) => /✓ bash.*\n {2}\$ seq 1 40\n[\s\S]* {2}40\n/.test(allText));
});
