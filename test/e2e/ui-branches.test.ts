/** `/branch` and `/branches`: the user's own cells in copies of the kernel. */

import { expect, test } from "bun:test";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { AgentPlace } from "./agent-place.ts";

describeWithPython(testPython, "branches on the screen", () => {
  test("are made for $ cells, listed, left, kept and dropped", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const model = new AgentPlace(place).script({ text: "ok" });
    const env = { VIRTUAL_ENV: testPython.venv };
    const screen = openScreen({ place, args: ["-m", model], env, columns: 100, rows: 50 });
    await screen.waitFor("script:");
    screen.type("/branches\r");
    await screen.waitFor("No branches yet.");
    await done(screen, "$x = 1");
    await done(screen, "/branch two");
    await screen.waitFor(/Your \$ cells run in two; \/branch main\s+leaves it\./);
    await screen.waitFor(/\[1\] · \$ in two/);
    await done(screen, "$x += 41; x");
    await screen.waitFor(/Branch two\s+42/);
    // Names of the copy are completed, and only there.
    await done(screen, "$only_in_two = 7");
    screen.type("$only_");
    await screen.waitFor("$only_");
    screen.type("\t");
    await screen.waitFor("❯ $only_in_two");
    screen.type(" + 1\r");
    await screen.waitFor(/Branch two\s+8/);
    screen.type("/branches\r");
    await screen.waitFor(/two +made just now, 3 calls, .* of its own; your \$ cells\s+run here/);
    screen.type("/branch main\r");
    await screen.waitFor("Your $ cells run in the session's kernel.");
    await done(screen, "$('main', x)");
    await screen.waitFor("('main', 1)");
    screen.type("/branch th/ree\r");
    await screen.waitFor("/branch: the name of a branch has letters");
    screen.type("/branch keep\r");
    await screen.waitFor("Write /branch <name>, /branch main");
    screen.type("/branch ke");
    await screen.waitFor("❯ /branch ke");
    screen.type("\t");
    await screen.waitFor("❯ /branch keep");
    screen.type(" two\r");
    await screen.waitFor("two is the session's kernel now.");
    await done(screen, "$('kept', x)");
    await screen.waitFor("('kept', 42)");
    screen.type("/branch drop two\r");
    await screen.waitFor("/branch: there is no branch two");
    await done(screen, "/branch four");
    await screen.waitFor("Your $ cells run in four;");
    screen.type("/branch drop four\r");
    await screen.waitFor("four has ended.");
    await done(screen, "$('again', x)");
    await screen.waitFor("('again', 42)");
    await done(screen, "/branch five");
    await screen.waitFor(/\] · \$ in five/);
    await done(screen, "$import os, signal; os.kill(os.getpid(), signal.SIGKILL)");
    await screen.waitFor(
      /The branch five has ended: .*SIGKILL.*\. Your \$ cells run in the\s+session's kernel again\./,
    );
    await screen.waitFor(({ text }) => !text.includes("$ in five"));
    screen.type("\x04");
    expect(await screen.ended()).toBe(0);
  });
});
