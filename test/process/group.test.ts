import { expect, test } from "bun:test";
import { groupIsAlive, isForeignGroup, killGroup, ownProcessGroup } from "../../src/process/group.ts";
import { until } from "../support/until.ts";

test("the own group is what the system says it is", () => {
  const answer = Bun.spawnSync(["ps", "-o", "pgid=", "-p", String(process.pid)]).stdout.toString();
  expect(ownProcessGroup()).toBe(Number(answer.trim()));
});

test("the own group, everybody and nonsense are never signalled", () => {
  for (const group of [ownProcessGroup(), process.pid, 0, 1, -7, 2.5, Number.NaN]) {
    expect(isForeignGroup(group)).toBe(false);
    expect(() => killGroup(group, "SIGTERM")).toThrow(`refusing to signal process group ${group}`);
  }
});

test("a signal reaches the whole group", async () => {
  const child = Bun.spawn(["sh", "-c", "sleep 1000 | sleep 1000"], { detached: true, stdin: "ignore" });
  expect(groupIsAlive(child.pid)).toBe(true);
  expect(killGroup(child.pid, "SIGKILL")).toBe(true);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  await until("the rest of the group is gone", () => !groupIsAlive(child.pid));
});

test("a group that is gone is no error", async () => {
  const child = Bun.spawn(["true"], { detached: true, stdin: "ignore" });
  await child.exited;
  expect(killGroup(child.pid, "SIGKILL")).toBe(false);
  expect(groupIsAlive(child.pid)).toBe(false);
});

test("a group of which only a zombie is left is not alive, though a signal still reaches it", async () => {
  // `set -m` gives the child a group of its own; the `sleep` that the shell becomes never asks how it ended.
  const script = "set -m; sleep 0.1 & echo $!; exec sleep 1000";
  const parent = Bun.spawn(["bash", "-c", script], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  try {
    const { value } = await parent.stdout.getReader().read();
    const zombie = Number(Buffer.from(value ?? []).toString());
    await until("the child has ended", () => !groupIsAlive(zombie));
    expect(killGroup(zombie, 0)).toBe(true);
  } finally {
    parent.kill("SIGKILL");
    await parent.exited;
  }
});
