import { expect, test } from "bun:test";
import { isForeignGroup, killGroup, ownProcessGroup } from "../../src/process/group.ts";

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

test("a signal reaches the whole group, and a group that is gone is no error", async () => {
  const child = Bun.spawn(["sh", "-c", "sleep 1000 | sleep 1000"], { detached: true, stdin: "ignore" });
  expect(killGroup(child.pid, 0)).toBe(true);
  expect(killGroup(child.pid, "SIGKILL")).toBe(true);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  while (killGroup(child.pid, 0)) await Bun.sleep(1);
  expect(killGroup(child.pid, "SIGKILL")).toBe(false);
});
