/** `input()` in the user's own cells is answered at the prompt; in the model's cells it still ends the cell. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, hasIdleKernel, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const waitsForFile = [
  "import os, time",
  "while not os.path.exists('go'): time.sleep(0.01)",
  "print('got', input('Again? '))",
];

describeWithPython(testPython, "input()", () => {
  test("asks at the prompt, keeps the draft, can be interrupted, and is refused to the model", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const model = scriptModel(place, [
      { toolCalls: [{ name: "python", input: { cells: [{ code: "input('Model? ')" }] } }] },
      { text: "Nobody there." },
    ]);
    const screen = openScreen({
      place,
      args: ["-m", model],
      env: { VIRTUAL_ENV: testPython.venv },
      rows: 40,
    });
    await screen.waitFor(hasIdleKernel);
    const { bells } = screen;
    screen.type("$name = input('Your name? ')\r");
    await screen.waitFor(/^The cell asks: Your name\?\n❯ Enter to answer · Esc to interrupt the cell\n/m);
    screen.type("/help me\r");
    await screen.waitFor((now) => now.bells > bells && now.text.includes("\n  Your name? /help me\n"));
    await done(screen, "$name");
    expect(screen.text).toContain("'/help me'");

    screen.type(`\x1b[200~$${waitsForFile.join("\n")}\x1b[201~\r`);
    await screen.waitFor("● python");
    screen.type("half a draft");
    await screen.waitFor("❯ half a draft");
    writeFileSync(join(place.project, "go"), "");
    await screen.waitFor(/^The cell asks: Again\?\n❯ Enter to answer/m);
    screen.type("yes\r");
    await screen.waitFor(({ text }) => text.includes("\n  got yes\n") && text.includes("❯ half a draft\n"));

    screen.type("\x15$input()\r");
    await screen.waitFor("The cell asks: a line of input\n");
    screen.type("\x1b");
    await screen.waitFor(({ text }) => /python .*interrupted/.test(text) && text.includes("❯ Ask"));

    screen.type("go on\r");
    await screen.waitFor("Nobody there.");
    expect(screen.text).toContain("cells have no keyboard");
  });
});
