/** Alt+O after a plot: the picture in the system's own viewer, for half-blocks show only its shape. */

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { viewPicture } from "../../src/interactive/view-picture.ts";
import { hasIdleKernel } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describeWithPython(testPython, "a picture of a cell", () => {
  test("is opened by Alt+O; a viewer that fails is named with the picture's file", async () => {
    const place = temporaryPlace();
    const programs = join(place.home, "bin");
    mkdirSync(programs);
    // What a desktop has: it starts a viewer, which keeps running.
    const opener = join(programs, "xdg-open");
    const seen = join(place.home, "seen.png");
    const screen = openScreen({
      place,
      args: ["-m", "demo"],
      // The test kills omp, which then cannot remove the copy that it made for the viewer.
      env: { VIRTUAL_ENV: testPython.venv, PATH: `${programs}:${process.env["PATH"]}`, TMPDIR: place.home },
      columns: 120,
      rows: 40,
    });
    await screen.waitFor("Ask anything");
    screen.type(`$from IPython.display import Image; import base64; Image(base64.b64decode("${PNG}"))\r`);
    await screen.waitFor("Alt+O opens it");
    await screen.waitFor(hasIdleKernel);
    writeFileSync(opener, `#!/bin/sh\ncase "$1" in *.png) cp "$1" "${seen}" ;; esac\n`);
    chmodSync(opener, 0o755);
    screen.type("\x1bo");
    await screen.waitFor("Opened in your image viewer");
    expect(existsSync(seen) && readFileSync(seen).toString("base64")).toBe(PNG);
    writeFileSync(opener, "#!/bin/sh\nexit 3\n");
    screen.type("\x1bo");
    await screen.waitFor("xdg-open could not open the image");
  });
});

test("where no program opens pictures, its file is named", async () => {
  const told = await viewPicture("/artifacts/a.log", "image/png", { env: { PATH: "/none" } });
  expect(told).toBe("No image viewer found; the image is at /artifacts/a.log");
});
