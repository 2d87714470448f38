import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { closeShells } from "../shell/open-shell.ts";
import { groupMembers, isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { shellTools } from "./bash-tools.ts";

afterEach(closeShells);

test("ends the whole tree, and a second call is friendly", async () => {
  const { bash, call, cwd } = shellTools();
  await bash("echo $$ >leader; sh -c 'echo $$ >child; sleep 1000; true'; true", { run_in_background: true });
  const child = await until("its child runs", () => pidIn(join(cwd, "child")));
  expect(await call("kill_shell", { shell_id: "bash_1" })).toEqual({
    isError: false,
    output: "Shell bash_1 terminated.",
    details: { shellId: "bash_1", status: "killed", exitCode: null, signal: "SIGTERM", killed: true },
  });
  expect([isRunning(child), groupMembers(pidIn(join(cwd, "leader")) ?? 0)]).toEqual([false, []]);
  expect(await call("kill_shell", { bash_id: "bash_1" })).toMatchObject({
    isError: false,
    output: "Shell bash_1 has already ended (killed); nothing to stop.",
    details: { killed: false },
  });
});

test("ends what an ended shell left running", async () => {
  const { bash, call, cwd, shells } = shellTools();
  await bash("sleep 1000 & echo $! >job", { run_in_background: true });
  await shells.background.get("bash_1")?.ended;
  expect(await call("kill_shell", { shell_id: "bash_1" })).toMatchObject({
    isError: false,
    output:
      "Shell bash_1 had already ended (completed, exit code 0); what it had left running is terminated.",
  });
  expect(isRunning(pidIn(join(cwd, "job")) ?? 0)).toBe(false);
});

test("a shell that a signal ended is described as such", async () => {
  const { bash, call, shells } = shellTools();
  await bash("kill -9 $$", { run_in_background: true });
  await shells.background.get("bash_1")?.ended;
  expect((await call("kill_shell", { shell_id: "bash_1" })).output).toBe(
    "Shell bash_1 has already ended (failed, ended by SIGKILL); nothing to stop.",
  );
});

test("cleans up those that have ended, says how many, and keeps their output", async () => {
  const { bash, call, shells, cwd, artifacts } = shellTools();
  const { details } = await bash("echo kept", { run_in_background: true });
  await bash("exit 2", { run_in_background: true });
  await bash("sleep 1000 & echo $! >job", { run_in_background: true });
  await bash("sleep 1000", { run_in_background: true });
  for (const id of ["bash_1", "bash_2", "bash_3"]) await shells.background.get(id)?.ended;
  expect(await call("kill_shell", { shell_id: "ended" })).toEqual({
    isError: false,
    output: "Cleaned up 2 ended shells; 2 are left. Their output is kept.",
    details: { cleanedUp: 2, shells: ["bash_1", "bash_2"] },
  });
  expect(isRunning(pidIn(join(cwd, "job")) ?? 0)).toBe(true);
  expect((await call("bash_output", { bash_id: "bash_1" })).output).toBe(
    `bash_output: Shell not found: bash_1; it has ended (completed, exit code 0) and was cleaned up; its output: artifact://${details.artifact} (NOT_FOUND)`,
  );
  expect(readFileSync(artifacts.find(String(details.artifact)) ?? "", "utf8")).toBe("kept\n");
  await call("kill_shell", { shell_id: "bash_3" });
  await call("kill_shell", { shell_id: "bash_4" });
  expect((await call("kill_shell", { shell_id: "ended" })).output).toBe(
    "Cleaned up 2 ended shells; none is left. Their output is kept.",
  );
  expect((await call("kill_shell", { shell_id: "ended" })).output).toBe(
    "Cleaned up 0 ended shells; none is left.",
  );
});

test("what it ended itself is not announced again", async () => {
  const { bash, call, shells } = shellTools();
  await bash("sleep 1000", { run_in_background: true });
  await call("kill_shell", { shell_id: "bash_1" });
  expect(shells.background.takeAnnouncements()).toEqual([]);
});

test("shows and requires one id, and accepts the other name", async () => {
  const { registry, rehearse } = shellTools();
  expect(registry.get("kill_shell")?.inputSchema).toMatchObject({ required: ["shell_id"] });
  expect(await rehearse("kill_shell", {})).toBe("kill_shell: field 'shell_id' is required (INVALID_INPUT)");
  expect(await rehearse("kill_shell", { bash_id: "bash_1" })).toBe(
    "[Dry Run] Would execute: kill_shell bash_1",
  );
});

test("refuses what it cannot find, or no id at all", async () => {
  const { call, rehearse } = shellTools();
  expect((await call("kill_shell", { shell_id: "bash_1" })).output).toBe(
    "kill_shell: Shell not found: bash_1; there are no background shells (NOT_FOUND)",
  );
  expect((await call("kill_shell", {})).output).toBe(
    "kill_shell: field 'shell_id' is required (INVALID_INPUT)",
  );
  expect(await rehearse("kill_shell", { shell_id: "bash_1" })).toBe(
    "[Dry Run] Would execute: kill_shell bash_1",
  );
});
