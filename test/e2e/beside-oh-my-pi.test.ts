/** oh-my-pi has the same home and the same command. Neither program may break what belongs to the other. */

import { beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { omp as runOmp } from "../support/omp.ts";

let place: TestPlace;
let agent: string;
beforeEach(() => {
  place = temporaryPlace();
  agent = join(place.home, ".omp", "agent");
  mkdirSync(agent, { recursive: true });
});

const omp = (...args: string[]) => runOmp(args, { place });
const touch = (name: string) => omp("tool", "bash", JSON.stringify({ command: `touch ${name}` }));
const made = (name: string) => existsSync(join(place.project, name));
const text = (name: string) => readFileSync(join(agent, name), "utf8");
const BLOCKED = "bash: blocked: read-only mode runs only tools that make no changes (DENIED)\n";

test("settings with the earlier name are copied once, and used by both sides from then on", async () => {
  const settings = '{\n  // careful\n  "approval": "read-only"\n}\n';
  writeFileSync(join(agent, "settings.json"), settings);
  expect(await touch("made")).toEqual({
    exitCode: 1,
    stdout: BLOCKED,
    stderr: `omp: your settings were copied to ${agent}/omp.jsonc, which omp now uses; ${agent}/settings.json is unchanged\n`,
  });
  expect([text("settings.json"), text("omp.jsonc")]).toEqual([settings, settings]);
  // What oh-my-pi does when it starts.
  renameSync(join(agent, "settings.json"), join(agent, "settings.json.bak"));
  expect(await touch("made")).toEqual({ exitCode: 1, stdout: BLOCKED, stderr: "" });
  expect((await omp("config", "set", "approval", "auto")).stdout).toBe(
    `approval = "auto" in ${agent}/omp.jsonc\n`,
  );
  expect(await touch("made")).toEqual({ exitCode: 0, stdout: "(no output)\n", stderr: "" });
  expect(made("made")).toBe(true);
});

test("settings that oh-my-pi has renamed hold until the user decides; changing another one does not decide", async () => {
  writeFileSync(join(agent, "settings.json.bak"), '{ "approval": "read-only", "model": "a/b" }');
  const { exitCode, stdout, stderr } = await touch("made");
  expect({ exitCode, stdout, made: made("made") }).toEqual({ exitCode: 1, stdout: BLOCKED, made: false });
  expect(stderr).toContain("settings.json.bak has your settings of omp");
  expect((await omp("doctor")).stdout).toContain("lost settings");
  expect((await omp("config", "get", "approval")).stdout).toBe("read-only\n");
  expect((await omp("config", "set", "ui.theme", "dark")).exitCode).toBe(0);
  expect(JSON.parse(text("omp.jsonc"))).toEqual({ approval: "read-only", ui: { theme: "dark" } });
  expect(await touch("made")).toEqual({ exitCode: 1, stdout: BLOCKED, stderr: "" });
  expect(readdirSync(agent).filter((name) => name.startsWith("settings"))).toEqual(["settings.json.bak"]);
});

test("oh-my-pi's own files are neither an error nor copied", async () => {
  const theirs = '{ "theme": { "dark": "titanium" }, "python": { "kernelMode": "session" } }';
  writeFileSync(join(agent, "settings.json"), theirs);
  writeFileSync(join(agent, "settings.json.bak"), theirs);
  writeFileSync(join(agent, "config.yml"), "theme: dark\n");
  mkdirSync(join(place.project, ".omp"));
  writeFileSync(join(place.project, ".omp", "settings.json"), theirs);
  expect(await touch("made")).toEqual({ exitCode: 0, stdout: "(no output)\n", stderr: "" });
  expect(existsSync(join(agent, "omp.jsonc"))).toBe(false);
  expect((await omp("trust")).stdout).toBe(
    `Trusted: ${place.project}\nIt has nothing that omp would run or follow.\n`,
  );
});

test("two that start at the same time copy the settings once", async () => {
  writeFileSync(join(agent, "settings.json"), '{ "approval": "read-only" }');
  const runs = await Promise.all([1, 2, 3, 4].map(() => touch("made")));
  expect(runs.map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual(
    runs.map(() => ({ exitCode: 1, stdout: BLOCKED })),
  );
  expect(runs.filter(({ stderr }) => stderr !== "").length).toBe(1);
  expect(
    readdirSync(agent)
      .filter((name) => /omp|settings/.test(name))
      .sort(),
  ).toEqual(["omp.jsonc", "settings.json"]);
});
