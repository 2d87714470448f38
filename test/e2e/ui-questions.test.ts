/** Questions that open while somebody types. */

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { QUIET_MS } from "../../src/ui/input/question-keys.ts";
import { answerWith, hasIdleKernel } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const TITLE = "\x1b]0;";
const call = (command: string) => ({ toolCalls: [{ name: "bash", input: { command } }] });

test("what is being typed when a question opens is no answer, and every letter stays", async () => {
  const place = temporaryPlace();
  const turns = [call("touch first"), call("touch second"), call("touch third"), { text: "The end." }];
  const args = ["-m", scriptModel(place, turns), "--approval", "ask"];
  const screen = openScreen({ place, args, env: { PI_PY: "0" } });
  await screen.waitFor("no Python");
  const settings = join(place.home, ".omp/agent/omp.jsonc");

  screen.type("go\r");
  await screen.waitFor("❯ go\n");
  screen.type("please");
  await screen.waitFor(({ text }) => text.includes("Allow bash?") && text.includes("❯ please\n"));
  let draft = "please";
  for (const letter of " say: rename as many") {
    draft += letter;
    screen.type(letter);
    await screen.waitFor(`❯ ${draft}`.trimEnd());
  }
  // The draft has Enter, as it had before: what was written is sent.
  screen.type(" files\r");
  await screen.waitFor(({ text }) => text.includes(`○ ${draft} files\n`) && text.includes("❯ Yes\n"));
  expect([existsSync(join(place.project, "first")), existsSync(settings)]).toEqual([false, false]);

  // Always is asked about once more, and Enter alone does not confirm it.
  await answerWith(screen, "Always (touch first)");
  await screen.waitFor(/^Always run this without asking, in every project\? touch first$/m);
  await screen.waitFor("❯ No, go back\n");
  screen.type("\r");
  await screen.waitFor("❯ Yes\n");
  expect([existsSync(join(place.project, "first")), existsSync(settings)]).toEqual([false, false]);

  // A no with a reason, for the model; the draft waits meanwhile.
  screen.type("a draft");
  await screen.waitFor("Up or Down to answer · Enter to send your message · Esc to stop\n");
  screen.type("\x1b[A");
  await screen.waitFor("❯ Stop");
  await answerWith(screen, "No, and say why");
  await screen.waitFor("Say why · Enter to send · Esc to go back");
  screen.type("use mktemp\r");
  await screen.waitFor("You declined: use mktemp");
  await screen.waitFor(({ text }) => text.includes("touch second") && text.includes("❯ a draft\n"));

  screen.type("\x15");
  await answerWith(screen, "Yes");
  await screen.waitFor("Allow bash? Not on the safe list\n  touch third\n");
  expect(existsSync(join(place.project, "second"))).toBe(true);
  await answerWith(screen, "Stop");
  await screen.waitFor("■ Interrupted");
  await screen.waitFor("❯ Ask");
  expect(existsSync(join(place.project, "third"))).toBe(false);
});

test("a question that opens behind the pager does not take the keys that were meant for it", async () => {
  const place = temporaryPlace();
  const waits = "while [ ! -e go ]; do sleep 0.01; done";
  const turns = [call(waits), call("touch made"), { text: "The end." }];
  const args = ["-m", scriptModel(place, turns), "--approval", "ask"];
  const screen = openScreen({ place, args, env: { PI_PY: "0" } });
  await screen.waitFor("no Python");
  screen.type("go\r");
  await screen.waitFor("● bash");
  screen.type("\x0f");
  await screen.waitFor("q close");
  writeFileSync(join(place.project, "go"), "");
  await screen.waitFor(({ raw }) => raw.includes(`${TITLE}? omp`));
  // For longer than a question waits for the keyboard to be quiet.
  screen.type("/");
  for (const asked = Date.now(); Date.now() - asked < 2 * QUIET_MS; await screen.changed()) screen.type("x");
  screen.type("\r");
  await screen.changed();
  screen.type("q");
  await screen.waitFor("Stop typing to answer\n");
  screen.type("\r");
  await screen.waitFor("❯ Yes\n");
  expect(existsSync(join(place.project, "made"))).toBe(false);
  await answerWith(screen, "No");
  await screen.waitFor("The end.");
});

describeWithPython(testPython, "a question about cells", () => {
  test("shows what would run once: long code above it, a line of code in it", async () => {
    const place = temporaryPlace();
    const cells = [{ code: "first = 1\nsecond = 2", title: "Make two numbers" }, { code: "first + second" }];
    const turns = [
      { toolCalls: [{ name: "python", input: { cells } }] },
      { toolCalls: [{ name: "python", input: { cells: [{ code: "print('only one line')" }] } }] },
      { text: "Done." },
    ];
    const args = ["-m", scriptModel(place, turns), "--approval", "ask"];
    const screen = openScreen({ place, args, env: { VIRTUAL_ENV: testPython.venv } });
    await screen.waitFor(hasIdleKernel);
    screen.type("go\r");
    await screen.waitFor("Allow python? Python can make changes\n❯ Yes\n");
    expect(screen.text.match(/second = 2|first \+ second|Make two numbers/g)).toHaveLength(3);
    await answerWith(screen, "No, and say why");
    await screen.waitFor("❯ What the model should know");
    screen.type("use a tuple\r");
    await screen.waitFor("Allow python? Python can make changes\n  print('only one line')\n❯ Yes\n");
    expect(screen.text.match(/only one line/g)).toHaveLength(1);
    await answerWith(screen, "No");
    await screen.waitFor("Done.");
  });
});
