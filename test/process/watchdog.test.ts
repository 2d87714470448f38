import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killGroup, ownProcessGroup } from "../../src/process/group.ts";
import { ShellWatchdog } from "../../src/process/watchdog.ts";
import { temporaryDirectory } from "../support/home.ts";
import { childrenOf, groupMembers, isRunning } from "../support/processes.ts";
import { until } from "../support/until.ts";

const groups: number[] = [];
afterEach(() => {
  for (const group of groups.splice(0)) killGroup(group, "SIGKILL");
});

function sleeper(): number {
  const child = Bun.spawn(["sleep", "1000"], { detached: true, stdin: "ignore", stdout: "ignore" });
  groups.push(child.pid);
  return child.pid;
}

function directoryNamed(name: string): string {
  const directory = join(temporaryDirectory(), name);
  mkdirSync(join(directory, "deep"), { recursive: true });
  writeFileSync(join(directory, "deep", "file"), "content");
  return directory;
}

/** SIGHUP is signal 1: the lowest bit of the mask. */
function ignoresHangUp(pid: number): boolean {
  const mask = /SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(`0x${mask}`) & 1) === 1;
}

interface Guarding {
  readonly omp: Bun.Subprocess<"ignore", "pipe", "inherit">;
  readonly guarded: number;
  readonly free: number;
  readonly kept: string;
  readonly released: string;
}

async function guardingOmp(): Promise<Guarding> {
  const kept = directoryNamed(`a "b" $(c) 'd' \\e *`);
  const released = directoryNamed("released");
  const omp = Bun.spawn(
    [process.execPath, join(import.meta.dir, "fixtures/guarding-omp.ts"), kept, released],
    {
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const { value } = await omp.stdout.getReader().read();
  const { guarded, free } = JSON.parse(new TextDecoder().decode(value));
  groups.push(free);
  return { omp, guarded, free, kept, released };
}

async function expectCleanedUp({ guarded, free, kept, released }: Guarding): Promise<void> {
  await until("the guarded group is gone", () => groupMembers(guarded).length === 0);
  await until("the guarded directory is gone", () => !existsSync(kept));
  expect(groupMembers(free).length).toBeGreaterThan(0);
  expect(existsSync(released)).toBe(true);
}

describe("when omp dies", () => {
  test("a SIGKILL leaves none of its guarded groups and directories, and what was released stays", async () => {
    const guarding = await guardingOmp();
    guarding.omp.kill("SIGKILL");
    await expectCleanedUp(guarding);
  });

  test("a signal to the whole group of omp, as Ctrl+C sends it, does not stop the clean-up", async () => {
    const guarding = await guardingOmp();
    killGroup(guarding.omp.pid, "SIGINT");
    killGroup(guarding.omp.pid, "SIGKILL");
    await expectCleanedUp(guarding);
  });
});

describe("the watchdog", () => {
  test("shrugs off the signals of a terminal", async () => {
    const watchdog = new ShellWatchdog();
    const group = sleeper();
    watchdog.guardGroup(group);
    const pid = watchdog.pid ?? 0;
    await until("it has set its traps", () => ignoresHangUp(pid));
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.kill(pid, signal);
    await watchdog.close();
    await until("the guarded group is gone", () => groupMembers(group).length === 0);
  });

  test("takes what a guarded leader put into groups of their own with it", async () => {
    const watchdog = new ShellWatchdog();
    // With job control every job is a group; `timeout` makes itself one, too.
    const leader = Bun.spawn(["bash", "-c", "set -m; sleep 1000 & echo $!; wait"], {
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
    });
    const { value } = await leader.stdout.getReader().read();
    const job = Number(new TextDecoder().decode(value));
    groups.push(leader.pid, job);
    expect(groupMembers(job)).toEqual([job]);
    watchdog.guardGroup(leader.pid);
    await watchdog.close();
    await until("the leader is gone", () => groupMembers(leader.pid).length === 0);
    await until("the job is gone", () => groupMembers(job).length === 0);
  });

  test("starts with the first guard, serves all of them, and ends when closed", async () => {
    const watchdog = new ShellWatchdog();
    expect(watchdog.pid).toBeUndefined();
    const first = watchdog.guardGroup(sleeper());
    const pid = watchdog.pid ?? 0;
    const second = watchdog.guardDirectory(directoryNamed("x"));
    expect(watchdog.pid).toBe(pid);
    first();
    second();
    await watchdog.close();
    expect(isRunning(pid)).toBe(false);
    expect(watchdog.pid).toBeUndefined();
  });

  test("kills nothing that was released, however often, also where the slot was taken again", async () => {
    const watchdog = new ShellWatchdog();
    const [one, two] = [sleeper(), sleeper()];
    const release = watchdog.guardGroup(one);
    release();
    watchdog.guardGroup(two);
    release();
    await watchdog.close();
    await until("the guarded group is gone", () => groupMembers(two).length === 0);
    expect(groupMembers(one)).toEqual([one]);
  });

  test("is replaced, with its whole list, when somebody kills it", async () => {
    const watchdog = new ShellWatchdog();
    const group = sleeper();
    watchdog.guardGroup(group);
    process.kill(watchdog.pid ?? 0, "SIGKILL");
    await until("its end is noticed", () => watchdog.pid === undefined);
    watchdog.guardDirectory(directoryNamed("x"))();
    await watchdog.close();
    await until("the guarded group is gone", () => groupMembers(group).length === 0);
  });

  test("is replaced also when its end is found out only by writing to it", async () => {
    const watchdog = new ShellWatchdog();
    const [one, two] = [sleeper(), sleeper()];
    watchdog.guardGroup(one);
    const pid = watchdog.pid ?? 0;
    process.kill(pid, "SIGKILL");
    // Without the event loop, so that nobody has told us of the exit yet.
    while (isRunning(pid));
    watchdog.guardGroup(two);
    expect(watchdog.pid).not.toBe(pid);
    await watchdog.close();
    await until("both groups are gone", () => groupMembers(one).length + groupMembers(two).length === 0);
  });

  test("can be closed after its shell has died", async () => {
    const watchdog = new ShellWatchdog();
    watchdog.guardGroup(sleeper());
    process.kill(watchdog.pid ?? 0, "SIGKILL");
    await watchdog.close();
  });

  test("refuses omp's own group, nonsense, and directories that it could not name safely", () => {
    const watchdog = new ShellWatchdog();
    for (const group of [ownProcessGroup(), process.pid, 0, 1, -5, 1.5, Number.NaN]) {
      expect(() => watchdog.guardGroup(group)).toThrow(`refusing to guard process group ${group}`);
    }
    expect(() => watchdog.guardDirectory("relative")).toThrow("refusing to guard directory 'relative'");
    expect(() => watchdog.guardDirectory("/")).toThrow("refusing to guard directory '/'");
    expect(() => watchdog.guardDirectory("/x\n2 d /y")).toThrow("line break");
    expect(() => watchdog.guardDirectory(`/${"x".repeat(5000)}`)).toThrow("too long");
    expect(watchdog.pid).toBeUndefined();
  });
});

test("the watchdog gets no environment but the search path", async () => {
  const watchdog = new ShellWatchdog();
  const release = watchdog.guardGroup(sleeper());
  const [shell] = childrenOf(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("omp-watchdog"),
  );
  await until(
    "it runs its script",
    () =>
      readFileSync(`/proc/${shell}/environ`, "utf8") === "PATH=/usr/bin:/bin:/run/current-system/sw/bin\0",
  );
  release();
  await watchdog.close();
});

test("where there is no /proc, what a guarded leader has started goes with it, also in groups of its own", async () => {
  const watchdog = new ShellWatchdog({ proc: "/nowhere" });
  const leader = Bun.spawn(["bash", "-c", "set -m; (sleep 1000; :) & sleep 1001 & echo; wait"], {
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
  });
  groups.push(leader.pid);
  await leader.stdout.getReader().read();
  const jobs = () => childrenOf(leader.pid);
  await until(
    "both jobs run, one with a child",
    () => jobs().length === 2 && jobs().flatMap(childrenOf).length === 1,
  );
  const all = [leader.pid, ...jobs(), ...jobs().flatMap(childrenOf)];
  const bystander = sleeper();
  watchdog.guardGroup(leader.pid);
  await watchdog.close();
  await until("all are gone", () => all.every((pid) => !isRunning(pid)));
  expect(isRunning(bystander)).toBe(true);
});
