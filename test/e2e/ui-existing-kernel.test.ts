/** The terminal UI in a kernel that somebody else has started and goes on using. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasIdleKernel } from "../support/at-rest.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";
import { SecondClient } from "../support/second-client.ts";

describeWithPython(testPython, "the terminal UI with --kernel", () => {
  test("says where the kernel is, waits for its owner, and leaves it running", async () => {
    const place = temporaryPlace();
    const foreign = await startForeignKernel();
    const other = await SecondClient.connect(foreign.file);
    await other.run("theirs = 6 * 7");
    const args = ["-m", scriptModel(place, []), "--kernel", foreign.file];
    const screen = openScreen({ place, args, rows: 40 });
    await screen.waitFor(hasIdleKernel);
    screen.type("$theirs\r");
    await screen.waitFor(/✓ python[\s\S]*omp did not start this kernel\.[\s\S]*\n {2}42\n/);
    screen.type("/kernel\r");
    await screen.waitFor(/runs +where it was running already:/);
    screen.type("/reset\r");
    await screen.waitFor("python: reset is not possible: omp did not start this kernel");
    await other.begin("import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.01)");
    screen.type("$theirs + 1\r");
    await screen.waitFor("[waiting: other code runs in the kernel]");
    screen.type("\x1b");
    await screen.waitFor("■ python · not run");
    writeFileSync(join(foreign.cwd, "go"), "");
    expect(await other.end()).toEqual({ stdout: "", value: null, error: null });
    screen.type("/quit\r");
    expect(await screen.exited).toBe(0);
    expect(foreign.isAlive()).toBe(true);
  });

  test("says that it has died", async () => {
    const place = temporaryPlace();
    const foreign = await startForeignKernel();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, []), "--kernel", foreign.file] });
    await screen.waitFor(hasIdleKernel);
    await foreign.kill();
    await screen.waitFor(/Python 3[\d.]+ at kernel dead/);
    screen.type("$1\r");
    await screen.waitFor(/✗ python[\s\S]*nothing answers at the kernel of/);
  });
});
