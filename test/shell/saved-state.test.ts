/** What bash 3 (macOS) tells of itself, told by a newer one: it has no BASHOPTS and no mapfile. */

import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScript } from "../../src/shell/driver.ts";
import { SavedState } from "../../src/shell/saved-state.ts";
import { temporaryDirectory } from "../support/home.ts";
import { closeShells, testShell } from "./open-shell.ts";

afterEach(closeShells);

function bash(script: string): string {
  return Bun.spawnSync(["bash", "--norc", "-c", script], { stderr: "inherit" }).stdout.toString();
}

test("options and aliases are saved and set again without BASHOPTS", () => {
  const directory = temporaryDirectory();
  const options = { directory, nonce: "n", cwd: directory, snapshot: undefined, restore: undefined };
  const start = join(directory, "start");
  writeFileSync(start, startScript(options).replaceAll("BASHOPTS", "NO_BASHOPTS"));
  bash(
    `source ${start}; shopt -s nullglob; shopt -u sourcepath; alias hi='echo hi'; __omp_save start >|${directory}/state-start`,
  );
  const state = readFileSync(join(directory, "state-start"), "utf8");
  expect(state).toContain("\n# shopt -s nullglob\n");
  expect(state).toContain("\n# shopt -u sourcepath\n");

  writeFileSync(join(directory, "state-start"), state.replaceAll(/^declare -\w+ BASHOPTS=.*\n/gm, ""));
  const saved = new SavedState(directory);
  saved.wasStarted();
  const restore = join(directory, "restore");
  writeFileSync(restore, saved.asOfLastCommand() ?? "");
  const asked = ["nullglob", "sourcepath", "expand_aliases", "dotglob"].join(" ");
  expect(bash(`source ${restore} 2>/dev/null; shopt -p ${asked}; eval hi`).split("\n")).toEqual([
    "shopt -s nullglob",
    "shopt -u sourcepath",
    "shopt -s expand_aliases",
    "shopt -u dotglob",
    "hi",
    "",
  ]);
});

test("a command is stopped in a shell without mapfile, and what the shell has is kept", async () => {
  const snapshot = join(temporaryDirectory(), "snapshot.sh");
  writeFileSync(snapshot, "enable -n mapfile\n");
  const { run, print } = testShell({ snapshot });
  await run("x=1; f() { echo f; }");
  const stopped = await run("echo begun; while :; do :; done", { timeoutMs: 1_000 });
  expect(stopped).toMatchObject({ timedOut: true, stdout: "begun\n" });
  expect(await print("echo $x; f")).toBe("1\nf\n");
});
