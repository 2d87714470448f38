import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unfinishedTail } from "../../src/output/utf8.ts";
import type { BackgroundShell } from "../../src/shell/background-shell.ts";
import { CappedLog } from "../../src/shell/capped-log.ts";
import { unfinishedLine } from "../../src/tools/bash-output.ts";
import { temporaryDirectory } from "../support/home.ts";
import { groupMembers, isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { closeShells, testShell } from "./open-shell.ts";

afterEach(closeShells);

function newText(shell: BackgroundShell, hold?: (bytes: Uint8Array) => number) {
  const { stdout, stderr } = shell.readNew(hold);
  stdout.markRead();
  stderr.markRead();
  return { stdout: Buffer.from(stdout.bytes).toString(), stderr: Buffer.from(stderr.bytes).toString() };
}

describe("a background shell", () => {
  test("starts with the directory, variables, functions and aliases of the persistent one", async () => {
    const { shells, run, cwd } = testShell();
    await run(
      "mkdir sub; cd sub; export E=1; p='two words'; f() { echo \"f $1\"; }; alias a='echo alias'; set -o noglob",
    );
    const shell = await shells.startBackground("pwd; echo $E $p *; f x; a; cat; nosuch; exit 3");
    await shell.ended;
    expect(newText(shell)).toEqual({
      stdout: `${cwd}/sub\n1 two words *\nf x\nalias\n`,
      stderr: "bash: line 1: nosuch: command not found\n",
    });
    expect([shell.status, shell.exitCode, shell.signal, shell.cwd]).toEqual([
      "failed",
      3,
      null,
      `${cwd}/sub`,
    ]);
  });

  test("works before the persistent shell was ever used, and somewhere else", async () => {
    const { shells } = testShell();
    const shell = await shells.startBackground("pwd; echo x >/dev/stdout", { cwd: "/usr" });
    await shell.ended;
    expect(newText(shell)).toEqual({ stdout: "/usr\nx\n", stderr: "" });
    expect([shell.status, shell.exitCode]).toEqual(["completed", 0]);
  });

  test("shows what is new since the last look, each stream alone", async () => {
    const { shells, cwd } = testShell();
    const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.01; done`;
    const shell = await shells.startBackground(
      `echo one; echo e1 >&2; touch ready; ${wait("go")}; printf 'two ü'; touch half; ${wait("end")}; echo; echo three`,
    );
    await until("it is ready", () => existsSync(join(cwd, "ready")) && shell.stderr.totalBytes === 3);
    expect(newText(shell)).toEqual({ stdout: "one\n", stderr: "e1\n" });
    expect(newText(shell)).toEqual({ stdout: "", stderr: "" });
    expect(shell.status).toBe("running");
    writeFileSync(join(cwd, "go"), "");
    await until("half a line is there", () => shell.stdout.totalBytes === 10);
    expect(newText(shell, unfinishedLine)).toEqual({ stdout: "", stderr: "" });
    expect(newText(shell)).toEqual({ stdout: "two ü", stderr: "" });
    writeFileSync(join(cwd, "end"), "");
    await shell.ended;
    expect(newText(shell)).toEqual({ stdout: "\nthree\n", stderr: "" });
  });

  test("is killed with its whole tree, and a second kill is friendly", async () => {
    const { shells, cwd } = testShell();
    const stubborn =
      "sh -c 'echo $$ >child; trap \"\" TERM; while :; do sleep 0.05; done' & echo $$ >leader; wait";
    const shell = await shells.startBackground(stubborn);
    const child = await until("its child runs", () => pidIn(join(cwd, "child")));
    const leader = await until("it runs itself", () => pidIn(join(cwd, "leader")));
    expect(await shell.kill()).toBe(true);
    expect([shell.status, isRunning(child), groupMembers(leader)]).toEqual(["killed", false, []]);
    expect(await shell.kill()).toBe(false);
    expect(shells.background.takeAnnouncements()).toEqual([
      `background shell bash_1 was killed: ${stubborn.slice(0, 79)}…`,
    ]);
  });

  test("that has ended can still be rid of what it left running", async () => {
    const { shells, cwd } = testShell();
    const shell = await shells.startBackground("sleep 1000 & echo $! >job");
    await shell.ended;
    const job = pidIn(join(cwd, "job")) ?? 0;
    expect([shell.status, isRunning(job)]).toEqual(["completed", true]);
    expect(await shell.kill()).toBe(true);
    expect([shell.status, isRunning(job)]).toEqual(["completed", false]);
  });

  test("is announced once when it ends", async () => {
    const { shells } = testShell();
    const good = await shells.startBackground("true\nsecond line");
    const bad = await shells.startBackground("exit 2");
    const dead = await shells.startBackground("kill -9 $$");
    await Promise.all([good.ended, bad.ended, dead.ended]);
    expect([...shells.background.takeAnnouncements()].sort()).toEqual([
      "background shell bash_1 failed with exit code 127: true",
      "background shell bash_2 failed with exit code 2: exit 2",
      "background shell bash_3 failed: ended by SIGKILL: kill -9 $$",
    ]);
    expect(shells.background.takeAnnouncements()).toEqual([]);
  });

  test("is told and ended at the end of the session, and its files are gone", async () => {
    const base = temporaryDirectory();
    const { shells, cwd } = testShell({ runtimeBases: [base] });
    const done = await shells.startBackground("true");
    await done.ended;
    await shells.startBackground("echo $$ >pid; sleep 1000; true");
    const pid = await until("it runs", () => pidIn(join(cwd, "pid")));
    expect(await shells.close()).toEqual({
      shells: [{ id: "bash_2", command: "echo $$ >pid; sleep 1000; true" }],
      jobs: [],
    });
    expect([groupMembers(pid), readdirSync(base)]).toEqual([[], []]);
  });

  test("there are at most 64: one that has ended makes room and keeps its output, running ones do not", async () => {
    const { shells } = testShell();
    const written: Uint8Array[] = [];
    const copy = {
      id: "copy",
      problem: undefined,
      write: (bytes: Uint8Array) => void written.push(bytes),
      close: () => void written.push(Buffer.from("closed")),
    };
    const first = await shells.startBackground("echo out; echo err >&2", { keepOutput: () => copy });
    await first.ended;
    for (let count = 1; count < 64; count += 1) await shells.startBackground("sleep 1000");
    const last = await shells.startBackground("sleep 1000");
    expect([last.id, shells.background.get("bash_1"), shells.background.list().length]).toEqual([
      "bash_65",
      undefined,
      64,
    ]);
    expect(shells.background.getForgotten("bash_1")).toMatchObject({ exitCode: 0, copy });
    expect(Buffer.concat(written).toString()).toMatch(/^(?:out\nerr\n|err\nout\n)(?:closed)+$/);
    await expect(shells.startBackground("true")).rejects.toThrow(
      "bash: 64 background shells are running; end one with kill_shell first (TOO_MANY_SHELLS)",
    );
  });

  test("keeps only the newest output of a flood, and counts what is cut", async () => {
    const { shells } = testShell({ maxBackgroundBytes: 1000 });
    const shell = await shells.startBackground("seq 1 100000; echo last");
    await shell.ended;
    const { stdout } = shell.readNew();
    const text = Buffer.from(stdout.bytes).toString();
    expect(text.endsWith("99999\n100000\nlast\n")).toBe(true);
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text.length).toBeGreaterThanOrEqual(500);
    expect(stdout.lost + text.length).toBe(shell.stdout.totalBytes);
  });
});

describe("a capped log", () => {
  const write = (log: CappedLog, text: string) => log.write(Buffer.from(text));
  const take = (log: CappedLog, hold?: (bytes: Uint8Array) => number) => {
    const { bytes, lost, markRead } = log.readNew(hold);
    markRead();
    return [Buffer.from(bytes).toString(), lost];
  };

  test("cuts the oldest half when it is full, and tells what nobody had read", () => {
    const directory = temporaryDirectory();
    const log = new CappedLog(join(directory, "log"), 10);
    write(log, "abc");
    expect(take(log)).toEqual(["abc", 0]);
    write(log, "defghijklmno");
    expect([log.totalBytes, log.cutBytes]).toEqual([15, 5]);
    expect(take(log)).toEqual(["fghijklmno", 2]);
    write(log, "pqrstuvwxyz");
    expect(take(log)).toEqual(["uvwxyz", 5]);
    expect(readdirSync(directory).sort()).toEqual(["log.4", "log.5"]);
    log.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test("shows again what was not marked as read, and never goes back", () => {
    const log = new CappedLog(join(temporaryDirectory(), "log"), 1_000_000);
    write(log, "abc");
    const first = log.readNew();
    write(log, "def");
    expect(take(log)).toEqual(["abcdef", 0]);
    first.markRead();
    expect(take(log)).toEqual(["", 0]);
    log.close();
  });

  test("leaves half characters and unfinished lines for the next look, unless they are very long", () => {
    const log = new CappedLog(join(temporaryDirectory(), "log"), 1_000_000);
    log.write(Uint8Array.of(0x61, 0xc3));
    expect(take(log, unfinishedTail)).toEqual(["a", 0]);
    log.write(Uint8Array.of(0xbc));
    expect(take(log, unfinishedLine)).toEqual(["", 0]);
    write(log, "x\nrest");
    expect(take(log, unfinishedLine)).toEqual(["üx\n", 0]);
    write(log, "y".repeat(70_000));
    expect(take(log, unfinishedLine)).toEqual([`rest${"y".repeat(70_000)}`, 0]);
    log.close();
  });

  test("that the disk does not take does not harm the command", async () => {
    const { shells, cwd } = testShell({ runtimeBases: [temporaryDirectory()] });
    const shell = await shells.startBackground(
      "until [ -e go ]; do sleep 0.01; done; echo lost; echo ok >done",
    );
    shell.stdout.write = () => {
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
    };
    writeFileSync(join(cwd, "go"), "");
    await shell.ended;
    expect([shell.problem, readFileSync(join(cwd, "done"), "utf8")]).toEqual([
      "bash: output could not be kept (ENOSPC)",
      "ok\n",
    ]);
  });
});
