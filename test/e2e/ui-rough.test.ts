/** A rough user and a bad day: everything at once, far too much of it, and the ground pulled away. Nothing hangs, and nothing stays behind. */

import { describe, expect, test } from "bun:test";
import { hasIdleKernel } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { nothingLeft } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };
const flood =
  "!i=0; while [ ! -e enough ]; do i=$((i+1)); echo line $i of the flood; done; echo it is over\r";
const tenMegabytes = `${"0123456789".repeat(10)}\r`.repeat(100_000);

async function opened(place: TestPlace, env: Readonly<Record<string, string>> = noPython): Promise<Screen> {
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
  await screen.waitFor("script:script.json");
  return screen;
}

async function enough(place: TestPlace): Promise<void> {
  await Bun.write(`${place.project}/enough`, "");
}

test("Ctrl+C that is held down quits, and nothing is left of it for the shell", async () => {
  const place = temporaryPlace();
  const screen = await opened(place);
  screen.type("!sleep 60\r");
  await screen.waitFor("● bash");
  screen.type("\x03".repeat(50));
  expect(await screen.ended()).toBe(0);
  await nothingLeft(place);
});

test("ten megabytes are pasted, folded, and taken away again", async () => {
  const place = temporaryPlace();
  const screen = await opened(place);
  screen.type(`\x1b[200~${tenMegabytes}\x1b[201~`);
  await screen.waitFor("❯ [Pasted text #1 +100000 lines]");
  screen.type(" and more");
  await screen.waitFor("+100000 lines] and more");
  screen.type("\x15");
  await screen.waitFor("❯ Ask anything");
});

test("lines that a terminal pastes without saying so are one draft, and Enter sends it", async () => {
  const place = temporaryPlace();
  const screen = await opened(place);
  screen.type("Fix this:\r\r\tdef f():\r\t\treturn 1\r");
  await screen.waitFor("❯ Fix this:\n\n      def f():\n          return 1\n");
  // Long ones do not arrive in one read.
  screen.type(" twice\r".repeat(2_000));
  await screen.waitFor(/ return 1\[Pasted text #1 \+2000 lines\]\n/);
  screen.type("\x03");
  await screen.waitFor("❯ Ask anything");
  screen.type("!echo one\recho two\r");
  await screen.waitFor("❯ !echo one\n  echo two\n");
  screen.type("\r");
  await screen.waitFor("\n  one\n  two\n");
});

test("what a slow connection delivers at once was typed: Enter sends it, and what follows is the draft", async () => {
  const place = temporaryPlace();
  const screen = await opened(place);
  screen.type("!ls\rnext");
  await screen.waitFor(({ text }) => text.includes("\n  script.json\n") && text.includes("❯ next\n"));
});

describe("while a command floods the screen", () => {
  test("what is pasted and typed arrives, also in the order in which it was", async () => {
    const place = temporaryPlace();
    const screen = await opened(place);
    screen.type(flood);
    await screen.waitFor(/line \d{3,} of the flood/);
    screen.type("before ");
    screen.type(`\x1b[200~${"pasted\r".repeat(30)}\x1b[201~`);
    screen.type(" after");
    await screen.waitFor(/❯ before \[Pasted text #1 \+3\d lines\] after/);
    await enough(place);
    await screen.waitFor("  it is over");
    expect(screen.text).toMatch(/❯ before \[Pasted text #1 \+3\d lines\] after/);
  });

  test("Ctrl+O shows everything that was there before, and Esc closes it", async () => {
    const place = temporaryPlace();
    const screen = await opened(place);
    screen.type("!seq -f 'number %g' 1 300\r");
    await screen.waitFor(/ {2}number 300\n\n─/);
    screen.type(flood);
    await screen.waitFor(/line \d{3,} of the flood/);
    screen.type("\x0f");
    await screen.waitFor(/Transcript .*q close/);
    screen.type("g");
    await screen.waitFor("  number 1\n  number 2\n");
    screen.type("\x1b");
    await screen.waitFor("❯ Ask");
    await enough(place);
    await screen.waitFor("  it is over");
  });

  test("the terminal is closed: neither omp nor the command stays", async () => {
    const place = temporaryPlace();
    const screen = await opened(place);
    screen.type(flood);
    await screen.waitFor(/line \d{3,} of the flood/);
    screen.hangUp();
    expect(await screen.exited).toBe(129);
    await nothingLeft(place);
  });
});

test("what is typed while the model answers stands in the prompt", async () => {
  const place = temporaryPlace();
  const turns = [
    { delayMs: 300, reasoning: "First I think. ".repeat(40), text: "An answer in words. ".repeat(400) },
  ];
  const screen = openScreen({ place, args: ["-m", scriptModel(place, turns)], env: noPython });
  await screen.waitFor("script:script.json");
  screen.type("go\r");
  await screen.waitFor("❯ go");
  for (const letter of "typed meanwhile") screen.type(letter);
  await screen.waitFor("❯ typed meanwhile");
  await screen.waitFor(({ text }) => text.includes("in words.") && !text.includes("Esc to interrupt"));
  expect(screen.text).toContain("❯ typed meanwhile");
});

describeWithPython(testPython, "a kernel", () => {
  const env = { VIRTUAL_ENV: testPython.venv };

  test("that kills itself is told, and the next cell has a new one", async () => {
    const place = temporaryPlace();
    const screen = await opened(place, env);
    await screen.waitFor(hasIdleKernel);
    screen.type("$x = 1\r");
    await screen.waitFor("✓ python");
    screen.type("$import os; os.kill(os.getpid(), 9)\r");
    await screen.waitFor(/✗ python[\s\S]*kernel/);
    screen.type("$print('alive', 'x' in globals())\r");
    await screen.waitFor("  alive False");
    screen.type("\x04");
    expect(await screen.ended()).toBe(0);
    await nothingLeft(place);
  });

  test("that prints at full speed ends with a terminal that is closed", async () => {
    const place = temporaryPlace();
    const screen = await opened(place, env);
    await screen.waitFor(hasIdleKernel);
    screen.type("$i = 0\n");
    screen.type("while True: i += 1; print('cell', i)\r\r");
    await screen.waitFor(/cell \d{3,}/);
    screen.hangUp();
    expect(await screen.exited).toBe(129);
    await nothingLeft(place);
  });
});
