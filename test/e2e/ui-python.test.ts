/** The terminal UI as a notebook: the agent's kernel, under the user's own hands. */

import { expect, test } from "bun:test";
import { done, hasIdleKernel, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";
import { AgentPlace } from "./agent-place.ts";

const env = { VIRTUAL_ENV: testPython.venv };

describeWithPython(testPython, "Python in the terminal UI", () => {
  test("the kernel warms up behind the prompt, and $ runs in it", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor(hasIdleKernel);
    screen.type("$x = 6 * 7\r");
    await screen.waitFor("✓ python");
    screen.type("$$print('answer', x)\r");
    await screen.waitFor("  │ print('answer', x)\n  answer 42\n  (hidden from the model)");
  });

  test("cells of one call show how each of them stands", async () => {
    const place = temporaryPlace();
    const cells = [
      { title: "first", code: "print('one')" },
      { title: "second", code: "import time\nprint('two', flush=True)\ntime.sleep(60)" },
      { title: "third", code: "print('three')" },
    ];
    const model = scriptModel(place, [{ toolCalls: [{ name: "python", input: { cells } }] }]);
    const screen = openScreen({ place, args: ["-m", model], env, rows: 40 });
    screen.type("go\r");
    await screen.waitFor(
      /✓ python 1\/3 first\n[\s\S]*● python 2\/3 second(?: · \d.*)?\n[\s\S]* {2}two\n[\s\S]*○ python 3\/3 third · waiting/,
    );
    screen.type("\x1b");
    await screen.waitFor(
      /■ python 2\/3 second · \[2\][\s\S]*■ python 3\/3 third · not run[\s\S]*■ Interrupted/,
    );
  });

  test("code that is not whole gets another line, and an empty one ends it", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor(hasIdleKernel);
    screen.type("$for i in range(3):\r");
    await screen.waitFor("❯ $for i in range(3):\n");
    screen.type("print('square', i * i)\r");
    await screen.waitFor("❯ $for i in range(3):\n      print('square', i * i)\n");
    screen.type("\r");
    await screen.waitFor("  square 0\n  square 1\n  square 4");
  });

  test("a cell that fails shows the end of its traceback", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    screen.type("$1/0\r");
    await screen.waitFor(/✗ python · \[1\][\s\S]* {2}ZeroDivisionError: division by zero\n/);
  });

  test("/reset starts from an empty kernel, and the model is told", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [{ text: "I see." }])], env });
    await screen.waitFor(hasIdleKernel);
    await done(screen, "$kept = 42");
    expect(screen.text).toContain("✓ python · [1]");
    screen.type("/reset\r");
    await screen.waitFor("✓ python reset · [1]");
    screen.type("$'kept' in globals()\r");
    await screen.waitFor(/│ 'kept' in globals\(\)\n {2}False/);
    screen.type("and now?\r");
    await screen.waitFor("I see.");
    const notice = "The user has reset the Python kernel: all variables, imports and other state are gone.";
    expect(JSON.stringify(new AgentPlace(place).entries())).toContain(notice);
  });

  test("/demo drives the real tools, and then the model is the one that it was", async () => {
    const place = temporaryPlace();
    const model = scriptModel(place, [{ text: "I am the script." }]);
    const screen = openScreen({ place, args: ["-m", model], env, rows: 40 });
    await screen.waitFor(hasIdleKernel);
    screen.type("/demo\r");
    await screen.waitFor("❯ Show me the tour.");
    // Asked while the tour goes on, it is for the model that there was.
    screen.type("and you?\r");
    await screen.waitFor("I am the script.");
    expect(screen.allText).toContain("(46, [181, 191, 193, 197, 199])");
    expect(screen.allText).toContain("hello from omp");
    expect(screen.allText).toMatch(/That was the tour\.[\s\S]*\n❯ and you\?\n\nI am the script\./);
  });

  test("a line of 50,000 characters is one line, and at most 4,000 of them when it is expanded", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env, rows: 70 });
    await screen.waitFor(hasIdleKernel);
    screen.type("$print('x' * 50_000)\r");
    await screen.waitFor(/✓ python · \[1\][\s\S]*\n {2}x+… \(50 kB, Alt\+O\)\n/);
    screen.type("\x0f");
    await screen.waitFor(/\n {2}x{78}\n {2}x{78}\n/);
    const [first = ""] = /^(?: {2}x{78}\n)+ {2}x+.*$/m.exec(screen.text) ?? [];
    expect(first.replaceAll(/[^x]/g, "").length).toBe(4_000);
    expect(screen.text).toContain("\n  … 50 kB in total (Alt+O)\n");
  });

  test("what prints at full speed leaves the prompt where it is, and the keys quick", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor(hasIdleKernel);
    screen.type("$while True: print('x' * 200)\r");
    await screen.waitFor("● running python");
    screen.type("still here");
    await screen.waitFor("❯ still here");
    screen.type("\x1b");
    await screen.waitFor(({ text }) => text.includes("truncated · ") && text.includes("❯ still here"));
    // The frame was always drawn in its place: the rule above the prompt is there once.
    expect(screen.text.split("─".repeat(80))).toHaveLength(2);
  });
});
