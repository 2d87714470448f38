import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { copyEarlierSettings } from "../../src/app/copy-earlier.ts";
import { ownFileInUse } from "../../src/config/earlier.ts";
import { ompPaths } from "../../src/config/paths.ts";
import { temporaryPlace } from "../support/home.ts";

function pathsWith(settings: string) {
  const paths = ompPaths({ env: { HOME: temporaryPlace().home } });
  mkdirSync(dirname(paths.earlierSettingsFile), { recursive: true });
  writeFileSync(paths.earlierSettingsFile, settings);
  return paths;
}

test("where the copy cannot be written, the earlier file stays in use", () => {
  // Nobody can make a file there, not even root.
  const paths = { ...pathsWith('{ "approval": "ask" }'), settingsFile: "/proc/omp.jsonc" };
  expect(copyEarlierSettings(paths)).toBeUndefined();
  expect(ownFileInUse(paths)).toEqual({ file: paths.earlierSettingsFile, held: {}, warnings: [] });
});

test("what an omp that was killed has left is no copy", () => {
  const paths = pathsWith('{ "approval": "ask" }');
  writeFileSync(`${paths.settingsFile}.0.tmp`, '{ "appr');
  expect(copyEarlierSettings(paths)).toContain("your settings were copied");
  expect(readdirSync(dirname(paths.settingsFile)).sort()).toEqual([
    "omp.jsonc",
    "omp.jsonc.0.tmp",
    "settings.json",
  ]);
});

test("while the user has to decide about lost settings, nothing is copied", () => {
  const paths = pathsWith('{ "ui": { "theme": "dark" } }');
  writeFileSync(paths.renamedSettingsFile, '{ "approval": "read-only" }');
  expect(copyEarlierSettings(paths)).toBeUndefined();
  expect(readdirSync(dirname(paths.settingsFile)).sort()).toEqual(["settings.json", "settings.json.bak"]);
});
