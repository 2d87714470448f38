/** Pictures that are named by path and are none: a pipe, a device, a folder, a file that is far too large. Nothing waits for them. */

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

test("are one line each, with -i and with @", async () => {
  const place = temporaryPlace();
  const at = (name: string) => join(place.project, name);
  expect(Bun.spawnSync(["mkfifo", at("pipe.png")]).exitCode).toBe(0);
  symlinkSync("/dev/zero", at("zero.png"));
  mkdirSync(at("folder.png"));
  writeFileSync(at("huge.png"), "");
  truncateSync(at("huge.png"), 20_000_000_000);
  const model = scriptModel(place, [{ text: "Done." }]);
  const lineFor = async (name: string) =>
    (await omp(["-p", "-i", name, "-m", model, "what is it?"], { place })).stderr;
  expect(await Promise.all(["pipe.png", "zero.png", "folder.png", "huge.png"].map(lineFor))).toEqual([
    `image: '${at("pipe.png")}' is not a regular file (NOT_A_FILE)\n`,
    `image: '${at("zero.png")}' is not a regular file (NOT_A_FILE)\n`,
    `image: '${at("folder.png")}' is not a regular file (NOT_A_FILE)\n`,
    `image: '${at("huge.png")}' has 20000 MB; the limit is 50 MB (TOO_LARGE)\n`,
  ]);
  const screen = openScreen({ place, args: ["-m", model], env: { PI_PY: "0" }, columns: 200 });
  await screen.waitFor(/script:/);
  screen.type("see @pipe.png and @zero.png\r");
  await screen.waitFor("Done.");
  for (const name of ["pipe.png", "zero.png"])
    expect(screen.text).toContain(`image: '${at(name)}' is not a regular file (NOT_A_FILE)`);
  screen.type("\x04");
  await screen.ended();
});
