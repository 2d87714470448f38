/** What is asked about, and what is not: the user's own calls never are, and the mode can be switched. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { answerWith, done, ringWhenDone, upToDate } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const call = (command: string) => ({ toolCalls: [{ name: "bash", input: { command } }] });
const shiftTab = "\x1b[Z";

test("the user's own commands run without a question, and Shift+Tab and /approval switch what the model's need", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const turns = [
    call("touch asked"),
    { text: "First." },
    call("touch unasked"),
    { text: "Second." },
    call("touch refused"),
    { text: "Third." },
  ];
  const args = ["-m", scriptModel(place, turns), "--approval", "ask"];
  const screen = openScreen({ place, args, env: { PI_PY: "0" }, columns: 120 });
  await screen.waitFor("approval ask");
  const exists = (name: string) => existsSync(join(place.project, name));

  await done(screen, "!touch mine");
  expect(screen.text).not.toContain("Allow");
  expect(exists("mine")).toBe(true);
  // What is dangerous is blocked whoever asks for it.
  await done(screen, "!rm -rf /");
  expect(screen.text).toContain("blocked: it would delete /");

  const { bells } = screen;
  screen.type("go\r");
  await screen.waitFor("Allow bash?");
  await answerWith(screen, "Yes");
  await screen.waitFor((now) => now.bells > bells + 1 && now.text.includes("First."));
  expect(exists("asked")).toBe(true);

  await upToDate(screen);
  screen.type(shiftTab);
  await screen.waitFor("Approval: read-only, only tools that make no changes");
  screen.type(shiftTab);
  await screen.waitFor("Approval: auto, everything runs except dangerous commands");
  await done(screen, "go");
  expect(screen.text).toContain("Second.");
  expect(exists("unasked")).toBe(true);
  await screen.waitFor(({ text }) => !/approval (?:ask|read-only)$/m.test(text));

  screen.type("/approval nothing\r");
  await screen.waitFor("Unknown approval mode 'nothing'. Use one of auto, ask, read-only.");
  screen.type("/approval\r");
  await screen.waitFor(/❯ auto .*\n.*ask .*\n.*read-only/);
  screen.type("\x1b[B\x1b[B\r");
  await screen.waitFor(
    "Approval: read-only, only tools that make no changes. To make it the default: /settings",
  );
  await done(screen, "go");
  expect(screen.text).toContain("read-only mode runs only tools that make no changes");
  expect(exists("refused")).toBe(false);
});
