/** Who ends omp right after its start is not kept waiting, and nothing that was still being started stays behind. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasIdleKernel } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { nothingLeft } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

function opened(place: TestPlace): Screen {
  return openScreen({ place, args: ["-m", scriptModel(place, [])], env: { VIRTUAL_ENV: testPython.venv } });
}

/** Where omp is when it ends: the screen shows it. */
const moments = {
  "with the first prompt": (screen: Screen) => screen.waitFor("Ask anything"),
  "with the session": (screen: Screen) => screen.waitFor("script:script.json"),
  "while the kernel starts": (screen: Screen) => screen.waitFor(/Python [\d.]+ starting/),
  "with the kernel": (screen: Screen) => screen.waitFor(hasIdleKernel),
};

describeWithPython(testPython, "no omp and no kernel is left", () => {
  for (const [moment, reached] of Object.entries(moments)) {
    test(`when it is terminated ${moment}`, async () => {
      const place = temporaryPlace();
      const screen = opened(place);
      await reached(screen);
      process.kill(screen.pid, "SIGTERM");
      expect(await screen.ended()).toBe(143);
      await nothingLeft(place);
    });

    test(`when its user quits ${moment}`, async () => {
      const place = temporaryPlace();
      const screen = opened(place);
      await reached(screen);
      screen.type("\x04");
      expect(await screen.ended()).toBe(0);
      await nothingLeft(place);
    });

    test(`when its terminal is closed ${moment}`, async () => {
      const place = temporaryPlace();
      const screen = opened(place);
      await reached(screen);
      screen.hangUp();
      expect(await screen.exited).toBe(129);
      await nothingLeft(place);
    });
  }

  const endings = {
    terminated: [(screen: Screen) => void process.kill(screen.pid, "SIGTERM"), 143],
    "left without a terminal": [(screen: Screen) => screen.hangUp(), 129],
  } as const;
  for (const [ended, [end, exitCode]] of Object.entries(endings))
    test(`when it is ${ended} while it asks whether the project is trusted`, async () => {
      const place = temporaryPlace();
      mkdirSync(join(place.project, ".omp/modules"), { recursive: true });
      writeFileSync(join(place.project, ".omp/modules/x.py"), "");
      const screen = opened(place);
      await screen.waitFor("Trust this project?");
      end(screen);
      expect(await screen.exited).toBe(exitCode);
      await nothingLeft(place);
    });
});
