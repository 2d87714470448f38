/** Going back to an earlier message: Esc twice at an empty prompt. */

import { expect, test } from "bun:test";
import { done, pressTwice, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { streamingModel } from "../support/streaming-model.ts";

const hint = "Press Esc again to go back to an earlier message";

test("an earlier message is written anew, in the same session or in a copy, and the log agrees", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const model = streamingModel();
  try {
    const env = { ...model.env, PI_PY: "0" };
    const screen = openScreen({ place, args: ["-m", model.name], env, columns: 120, rows: 40 });
    await screen.waitFor("ollama/test-model");
    const asked = async (words: string, answer: string) => {
      const { bells } = screen;
      screen.type(`${words}\r`);
      await model.say(answer);
      await model.finish();
      await screen.waitFor((now) => now.bells > bells && now.text.includes(answer));
      const messages = (model.requests.at(-1)?.["messages"] ?? []) as { role: string; content: unknown }[];
      return messages.filter(({ role }) => role !== "system").map(({ content }) => content);
    };
    await asked("first question", "One.");
    await done(screen, "!true");
    await asked("second question", "Two.");
    await asked("third question", "Three.");

    await pressTwice(screen, "\x1b", {
      hint,
      isDone: ({ text }) => text.includes("Go back to (newest first)"),
    });
    expect(screen.text).toMatch(/❯ third question\n {2}second question\n {2}first question\n/);
    screen.type("\x1b[B\r");
    await screen.waitFor("❯ Everything ");
    screen.type("\r");
    await screen.waitFor(
      ({ text }) =>
        text.includes("2 prompts left out. Not taken back") && text.includes("❯ second question\n"),
    );
    expect(screen.text).toContain("One.");
    expect(screen.text).not.toContain("Two.");
    const sent = await asked(", changed", "Other.");
    expect(sent).toEqual([
      "first question",
      "One.",
      expect.stringContaining("user_ran"),
      "second question, changed",
    ]);

    screen.type("/back\r");
    await screen.waitFor("❯ second question, changed\n");
    screen.type("\x1b[B\r");
    await screen.waitFor("❯ Everything ");
    screen.type("\x1b[A");
    await screen.waitFor("❯ Fork ");
    screen.type("\r");
    await screen.waitFor(
      ({ text }) =>
        /Forked to \S+; the original is \S+\. Files/.test(text) && text.includes("❯ first question\n"),
    );
    const [, copy = "", original = ""] =
      /Forked to (\S+); the original is (\S+)\. Files/.exec(screen.text) ?? [];
    expect(await asked(" again", "Anew.")).toEqual(["first question again"]);

    // What was left out stays left out, and the original is as it was.
    await done(screen, `/resume ${original}`);
    await screen.waitFor(
      ({ text }) => text.includes(`Resumed ${original.slice(0, 8)}`) && text.includes("Other."),
    );
    expect(screen.text).not.toMatch(/Two\.|Three\.|Anew\./);
    await done(screen, `/resume ${copy}`);
    await screen.waitFor(
      ({ text }) => text.includes(`Resumed ${copy.slice(0, 8)}`) && text.includes("Anew."),
    );
    expect(screen.text).not.toContain("One.");
  } finally {
    await model.stop();
  }
});
