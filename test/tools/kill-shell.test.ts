import { afterEach, expect, test } from "bun:test";
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
    output: "Shell bash_1 has already ended (killed); there is nothing to end.",
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
    "Shell bash_1 has already ended (failed, ended by SIGKILL); there is nothing to end.",
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
