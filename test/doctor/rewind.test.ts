import { expect, test } from "bun:test";
import { defaultSettings } from "../../src/config/defaults.ts";
import { ompPaths } from "../../src/config/paths.ts";
import type { Settings } from "../../src/config/schema.ts";
import { checkCheckpoints, checkSnapshots } from "../../src/doctor/rewind.ts";
import { temporaryPlace } from "../support/home.ts";

const again = "/rewind offers to run cells again, and there are no branches";
const withPython = (python: Partial<Settings["python"]>): Settings => ({
  ...(defaultSettings as Settings),
  python: { ...(defaultSettings as Settings).python, ...python },
});

test.each([
  ["external", {}, undefined, "kernels run in a gateway"],
  ["shared", {}, undefined, "kernels run in a gateway"],
  ["local", { kernelMode: "per-call" }, undefined, "no kernel outlives a call (python.kernelMode)"],
  ["local", { checkpoints: 0 }, { milliseconds: 9 }, "the setting python.checkpoints is 0"],
  [
    "local",
    {},
    { reason: "a running kernel can be copied only on Linux" },
    "a running kernel can be copied only on Linux",
  ],
  ["local", {}, undefined, "no kernel was started to try it"],
] as const)("checkpoints of a %s kernel with %p, tried: %p", (host, python, tried, reason) => {
  expect(checkCheckpoints(withPython(python), host, tried)).toEqual({
    name: "checkpoints",
    status: "ok",
    value: `none: ${reason}; ${again}`,
    details: { variables: false, reason },
  });
});

test("snapshots of the project's files, and why there are none", () => {
  const { home, project } = temporaryPlace();
  const env = { HOME: home, PATH: process.env["PATH"] };
  const side = { settings: withPython({}), paths: ompPaths({ env }), env };
  expect(checkSnapshots(side, project).value).toBe("kept before each prompt: /rewind brings files back");
  const off = { ...side.settings, files: { ...side.settings.files, checkpoints: false } };
  expect(checkSnapshots({ ...side, settings: off }, project).value).toBe(
    "none: the setting files.checkpoints is false; /rewind leaves files as they are",
  );
});
