/** How hard the model thinks: `--effort`, `/effort`, the status line, and what is sent. */

import { expect, test } from "bun:test";
import { temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { openScreen } from "../support/screen.ts";
import { streamingModel } from "../support/streaming-model.ts";

test("--effort and /effort are in the status line and in the requests", async () => {
  const place = temporaryPlace();
  const model = streamingModel();
  try {
    const args = ["-m", model.name, "--effort", "low"];
    const screen = openScreen({ place, args, env: { ...model.env, PI_PY: "0" }, columns: 120 });
    await screen.waitFor("effort low");
    const asked = async (words: string, answer: string) => {
      screen.type(`${words}\r`);
      await model.say(answer);
      await model.finish();
      await screen.waitFor(({ text }) => text.includes(answer) && /^❯ Ask/m.test(text));
      return model.requests.at(-1)?.["reasoning_effort"];
    };
    expect(await asked("one", "Quick.")).toBe("low");

    screen.type("/effort hard\r");
    await screen.waitFor("Unknown effort 'hard'. Use one of default, low, medium, high.");
    screen.type("/effort hi\t");
    await screen.waitFor(/^❯ \/effort high$/m);
    screen.type("\r");
    await screen.waitFor(
      ({ text }) => text.includes("Effort: high, from the next turn on.") && text.includes("effort high"),
    );
    expect(await asked("two", "Thorough.")).toBe("high");

    screen.type("/effort\r");
    await screen.waitFor("❯ high");
    screen.type("\x1b[A\x1b[A\x1b[A");
    await screen.waitFor("❯ default");
    screen.type("\r");
    await screen.waitFor(
      ({ text }) => text.includes("Effort: the provider's default.") && !text.includes("effort high"),
    );
    expect(await asked("three", "As usual.")).toBeUndefined();
  } finally {
    await model.stop();
  }
});

test("a model that cannot be told is named in one line", async () => {
  const place = temporaryPlace();
  const { stderr, exitCode } = await omp(["-p", "-m", "demo", "--effort", "high", "hello"], {
    place,
    env: { PI_PY: "0" },
  });
  expect([exitCode, stderr.split("\n")[0]]).toEqual([
    0,
    "omp: demo does not support reasoning effort; --effort is ignored",
  ]);
});
