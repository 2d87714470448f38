/** `$` with the live kernel's help: completion, inspection, several lines. */

import { expect, test } from "bun:test";
import { hasIdleKernel, statusLine, withoutTimes } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";
import { AgentPlace } from "./agent-place.ts";

const env = { VIRTUAL_ENV: testPython.venv };
const TAB = "\t";
const SHIFT_TAB = "\x1b[Z";
const ESC = "\x1b";

/** What the model was told as the user's words. */
function userTexts(place: TestPlace): string[] {
  return new AgentPlace(place)
    .entries()
    .flatMap((entry) => (entry.type === "user" ? entry.message.content : []))
    .flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** With a kernel that has run this, and does nothing now. */
async function notebook(code: string, size: Size = {}): Promise<Screen> {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env, ...size });
  await screen.waitFor(hasIdleKernel);
  screen.type(`$$${code}\r`);
  await screen.waitFor((now) => now.text.includes("✓ python") && hasIdleKernel(now));
  return screen;
}

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

describeWithPython(testPython, "the notebook", () => {
  test("Tab completes from what is alive, says what each name is, and typing on makes the list shorter", async () => {
    const screen = await notebook("import json; answer_one = 1; answer_two = 'x'; answers = [1]");
    screen.type(`$x = 'ü'; ans${TAB}`);
    await screen.waitFor("❯ $x = 'ü'; answer\n❯ answer_one  int\n  answer_two  str\n  answers     list");
    screen.type("_");
    await screen.waitFor(/❯ \$x = 'ü'; answer_\n❯ answer_one {2}int\n {2}answer_two {2}str$/);
    screen.type(`\x1b[B${TAB}`);
    await screen.waitFor(/❯ \$x = 'ü'; answer_two\n[^\n]*script:/);
    screen.type(`; json.dumps${TAB}`);
    await screen.waitFor("answer_two; json.dumps");
  });

  test("Enter takes the chosen name, and runs the code when there is nothing to take; Esc closes the list", async () => {
    const screen = await notebook("number_a = 41; number_b = 42");
    screen.type(`$print(num${TAB}`);
    await screen.waitFor("  number_b  int");
    screen.type(ESC);
    await screen.waitFor(({ text }) => text.includes("❯ $print(number_") && !text.includes("number_b  int"));
    screen.type(TAB);
    await screen.waitFor("  number_b  int");
    screen.type("\x1b[B\r");
    await screen.waitFor(/❯ \$print\(number_b\n[^\n]*script:/);
    screen.type(")\r");
    await screen.waitFor("  │ print(number_b)\n  42\n");
  });

  test("in the second line, too; at its start Tab indents and Backspace takes it back", async () => {
    const screen = await notebook("total_sum = 3");
    screen.type("$if True:\r");
    await screen.waitFor(({ cursor, text }) => text.includes("❯ $if True:\n") && cursor.x === 6);
    screen.type(TAB);
    await screen.waitFor(({ cursor }) => cursor.x === 10);
    screen.type("\x7f");
    await screen.waitFor(({ cursor }) => cursor.x === 6);
    screen.type(`print(total_s${TAB}`);
    await screen.waitFor("❯ $if True:\n      print(total_sum");
    screen.type(")\r");
    await screen.waitFor(({ cursor, text }) => text.includes("print(total_sum)\n") && cursor.x === 6);
    screen.type("\r");
    await screen.waitFor("  │ if True:\n  │     print(total_sum)\n  3\n");
  });

  test("nothing is asked of a kernel that runs something, and keys go on", async () => {
    const screen = await notebook("import time");
    screen.type("$time.sleep(60)\r");
    await screen.waitFor(/Python [\d.]+ busy/);
    screen.type(`$time.sl${TAB}`);
    await screen.waitFor("The kernel is busy");
    screen.type("eep");
    await screen.waitFor("❯ $time.sleep");
    screen.type(ESC);
    await screen.waitFor(/· interrupted[\s\S]*❯ \$time\.sleep\n/);
  });

  test("the first Tab finds a kernel that is still to start", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor("❯ Ask");
    screen.type(`$ZeroDiv${TAB}`);
    await screen.waitFor("❯ $ZeroDivisionError");
  });

  test("name? shows what is known of it, tells the model with $ and not with $$", async () => {
    const place = temporaryPlace();
    const screen = openScreen({
      place,
      args: ["-m", scriptModel(place, [{ text: "Read." }])],
      env,
      rows: 40,
    });
    await screen.waitFor(hasIdleKernel);
    screen.type("$$def twice(x: int) -> int:\n    'Two times x.'\n    return 2 * x\n\r");
    await screen.waitFor("✓ python");
    screen.type("$$twice??\r");
    await screen.waitFor(
      ({ text }) => text.includes("twice?? (hidden from the model)\n") && text.includes("│     return 2 * x"),
    );
    screen.type("$twice?\r");
    await screen.waitFor(/\ntwice\?\n│ Signature: +twice\(x: int\) -> int\n│ Docstring: Two times x\.\n/);
    screen.type("$no_such_name?\r");
    await screen.waitFor("no_such_name: no help found");
    screen.type("go\r");
    await screen.waitFor("Read.");
    const told = userTexts(place).filter((text) => text.startsWith("<user_ran"));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^<user_ran tool="python">\ntwice\?\n<\/user_ran>\n<output>\nSignature: +twice/);
  });

  test("Shift+Tab tells of the name at the cursor, and leaves the input as it is", async () => {
    const screen = await notebook("def thrice(x):\n    'Three times x.'\n\r", { rows: 40 });
    screen.type(`$y = thrice(${SHIFT_TAB}`);
    await screen.waitFor(
      ({ text }) => text.includes("│ Docstring: Three times x.\n") && text.includes("❯ $y = thrice(\n"),
    );
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 40, rows: 15 },
  ])("on a screen of $columns × $rows", async (size) => {
    const screen = await notebook(
      "answers = [1]; answer_count = 1\ndef answer_with(text: str, *, times: int = 1, separator: str = ', ') -> str:\n    'The text, so many times, as one line.'\n",
      size,
    );
    screen.type(`$answer${TAB}`);
    await screen.waitFor(/answers +list/);
    expect(steady(screen.text)).toMatchSnapshot("completion");
    screen.type(`${ESC}`);
    await screen.waitFor(({ text }) => !/answers +list/.test(text));
    screen.type(`_with(${SHIFT_TAB}`);
    await screen.waitFor("Docstring:");
    await screen.waitFor(/❯ \$answer_with\(\n[^\n]*script:/);
    expect(steady(screen.text)).toMatchSnapshot("inspection");
  });
});

/** Times, versions and places are others each time. */
function steady(text: string): string {
  return withoutTimes(text)
    .replace(statusLine, "<status>")
    .replace(/│ File:[\s\S]*?(?=│ Type:)/g, "│ File: <file>\n");
}

test("without Python, $ says why", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: { PI_PY: "0" } });
  await screen.waitFor("no Python");
  screen.type("$1 + 1\r");
  await screen.waitFor("! Python is off: PI_PY asks for bash-only\n");
  screen.type(`$imp${TAB}`);
  await screen.waitFor("\nPython is off: PI_PY asks for bash-only");
  screen.type("\x15/kernel\r");
  await screen.waitFor(/state +not available\n +why +PI_PY asks for bash-only\n/);
});
