import { describe, expect, test } from "bun:test";
import { statsFromPs } from "../../src/process/ps.ts";
import {
  commandMembers,
  factsOf,
  listProcesses,
  programOf,
  sessionMembers,
  signalProcess,
} from "../../src/shell/processes.ts";
import { until } from "../support/until.ts";

describe("what runs", () => {
  test("is told by /proc and by ps alike", async () => {
    const child = Bun.spawn(["sleep", "1000"], { detached: true });
    const find = (list: readonly { pid: number; parent: number; session: number; name: string }[]) =>
      list
        .filter(({ pid }) => pid === child.pid)
        .map(({ pid, parent, session, name }) => [pid, parent, session, name]);
    const expected = [[child.pid, process.pid, child.pid, "sleep"]];
    expect(find(listProcesses())).toEqual(expected);
    expect(find(factsOf(statsFromPs()))).toEqual(expected);
    child.kill();
    await child.exited;
    expect([find(listProcesses()), find(factsOf(statsFromPs()))]).toEqual([[], []]);
  });

  test("belongs to a session by its parents where ps does not tell, also in a group of its own", async () => {
    // The one has a group of its own, as with `timeout` and job control, the other has lost its parent.
    const script = "set -m; sleep 1000 & set +m; (sleep 1001 &); echo; wait";
    const shell = Bun.spawn(["bash", "-c", script], { detached: true, stdin: "ignore", stdout: "pipe" });
    await shell.stdout.getReader().read();
    const members = (list: ReturnType<typeof listProcesses>) =>
      list.filter(({ session }) => session === shell.pid).map(({ pid, name }) => `${pid} ${name}`);
    const isSleep = (member: string) => member.endsWith(" sleep");
    await until("both sleep", () => members(listProcesses()).filter(isSleep).length === 2);
    expect(members(factsOf(statsFromPs()))).toEqual(members(listProcesses()));
    for (const { pid } of sessionMembers(shell.pid)) process.kill(pid, "SIGKILL");
    await shell.exited;
  });

  test("wants to go on, which a busy machine may not let it, or waits for something", async () => {
    const [busy, asleep] = [Bun.spawn(["sh", "-c", "while :; do :; done"]), Bun.spawn(["sleep", "1000"])];
    const runnable = () =>
      [listProcesses(), factsOf(statsFromPs())].map((list) =>
        list.filter(({ isRunnable }) => isRunnable).map(({ pid }) => pid),
      );
    await until("sleep has gone to sleep", () => runnable().every((pids) => !pids.includes(asleep.pid)));
    for (const pids of runnable()) expect(pids).toContain(busy.pid);
    for (const child of [busy, asleep]) {
      child.kill();
      await child.exited;
    }
  });

  test("has a program as long as it runs", async () => {
    const child = Bun.spawn(["true"]);
    await child.exited;
    expect([programOf(process.pid), programOf(child.pid)]).toEqual([process.execPath, undefined]);
  });

  test("belongs to a command unless it, or one above it, is a job from before", async () => {
    const shell = Bun.spawn(["bash", "-c", "(sleep 1000; :) & echo $!; (sleep 1001; :) & wait"], {
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
    });
    const { value } = await shell.stdout.getReader().read();
    const job = Number(Buffer.from(value ?? []).toString());
    const names = (earlierJobs: number[]) =>
      commandMembers(
        sessionMembers(shell.pid).filter(({ pid }) => pid !== shell.pid),
        performance.now() - 60_000,
        earlierJobs,
      ).map(({ name }) => name);
    while (names([]).filter((name) => name === "sleep").length < 2) await Bun.sleep(5);
    expect(names([]).sort()).toEqual(["bash", "bash", "sleep", "sleep"]);
    expect(names([job]).sort()).toEqual(["bash", "sleep"]);
    process.kill(-shell.pid, "SIGKILL");
    await shell.exited;
  });
});

describe("a signal", () => {
  test("is refused for omp itself, for init and for groups", () => {
    for (const pid of [0, 1, -5, process.pid, Number.NaN]) {
      expect(() => signalProcess(pid, "SIGTERM")).toThrow(`refusing to signal process ${pid}`);
    }
  });

  test("to a process that has ended is no error", async () => {
    const child = Bun.spawn(["true"]);
    await child.exited;
    expect(signalProcess(child.pid, "SIGTERM")).toBe(false);
  });
});
