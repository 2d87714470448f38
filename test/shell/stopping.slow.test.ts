import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/home.ts";
import { groupMembers, isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { closeShells, plain, testShell } from "./open-shell.ts";

afterEach(closeShells);

const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim();
const stopped = { exitCode: null, timedOut: true, replaced: false };
const lostWithIt = "lost with the old shell: open descriptors, the directory stack, `$!` and jobs";

describe("a timeout", () => {
  test("interrupts what runs, keeps what was written, and leaves the shell as it was", async () => {
    const { run, print, cwd } = testShell();
    await run("mkdir sub; x=1; f() { echo f; }");
    expect(
      await run("cd sub; x=2; echo early; echo too >&2; sleep 1000; echo after", { timeoutMs: 2_000 }),
    ).toEqual(plain(join(cwd, "sub"), { ...stopped, signal: "SIGINT", stdout: "early\n", stderr: "too\n" }));
    expect(await print("pwd; echo $x; f; echo $?")).toBe(`${cwd}/sub\n2\nf\n0\n`);
  });

  test("is survived by the shell itself: process, directory stack, descriptors, `$!`, jobs and traps", async () => {
    const { run, print } = testShell();
    await run("echo line >file; mkdir a b; pushd a >/dev/null; pushd ../b >/dev/null; exec 3<../file");
    await run("sleep 1000 >/dev/null 2>&1 & trap 'seen=$BASH_COMMAND' DEBUG; set -E");
    const state = "echo $$ $!; dirs; jobs -p; trap -p DEBUG; shopt extdebug; echo $-";
    const before = await print(state);
    const loops =
      "f() { while :; do g; done; }; g() { while (sleep 0.01); do (:); done; echo no; }; f; echo no";
    expect(await run(loops, { timeoutMs: 1_500 })).toMatchObject({ ...stopped, stdout: "", notes: [] });
    expect(await print("echo $?; trap - DEBUG")).toBe("130\n");
    expect(await print(`trap 'seen=$BASH_COMMAND' DEBUG; ${state}`)).toBe(before);
    expect(await print("cat <&3; kill $!; wait $!; echo $?; popd")).toMatch(/^line\n143\n\S+\/a \S+\n$/);
  });

  test("that the shell does not survive names what was lost", async () => {
    const { run, print } = testShell();
    const { notes, ...rest } = await run("x=2; set -e; sleep 1000", { timeoutMs: 1_500 });
    expect(rest).toMatchObject({ ...stopped, replaced: true });
    expect(notes).toEqual([
      "the shell had to be ended with the command; a new one took its place with the same directory, variables, functions and aliases",
      lostWithIt,
    ]);
    expect(await print("set +e; echo $x")).toBe("2\n");
    // bash 3 waits for requests in a loop, which a stop leaves, too.
    const snapshot = join(temporaryDirectory(), "snapshot.sh");
    writeFileSync(snapshot, "enable -n mapfile\n");
    const old = testShell({ snapshot });
    const stop = await old.run("x=3; while :; do :; done; echo no", { timeoutMs: 1_500 });
    expect(stop).toMatchObject({ ...stopped, replaced: true, stdout: "", notes });
    expect(await old.print("echo $x")).toBe("3\n");
  });

  test("interrupts the shell itself: loops, waits and files that never open", async () => {
    const commands = [
      "x=2; while :; do :; done",
      "f() { g; }; g() { until false; do :; done; }; x=2; f; echo after",
      "x=2; sleep 1000 & wait",
      "x=2; y=$(sleep 1000); echo after",
      "x=2; cat <(sleep 1000)",
      "x=2; read line <never",
    ];
    // A shell each, as they only wait for their limit.
    const interrupted = commands.map(async (command) => {
      const { run, print } = testShell();
      await run("x=1; mkfifo never");
      const { stdout, timedOut } = await run(command, { timeoutMs: 1_500 });
      expect({ command, stdout, timedOut }).toEqual({ command, stdout: "", timedOut: true });
      expect(await print("echo $x; x=1")).toBe("2\n");
    });
    await Promise.all(interrupted);
  });

  test("goes on to SIGTERM and SIGKILL for what will not stop", async () => {
    const { run, print } = testShell();
    expect(await run("trap '' INT; sleep 1000", { timeoutMs: 1_500 })).toMatchObject({
      ...stopped,
      signal: "SIGTERM",
    });
    const stubborn = "trap '' INT TERM; while :; do sleep 0.05; done";
    expect(await run(`sh -c "${stubborn}"`, { timeoutMs: 1_500 })).toMatchObject({
      ...stopped,
      signal: "SIGKILL",
    });
    expect(await run("trap '' INT TERM URG; while :; do :; done", { timeoutMs: 1_500 })).toMatchObject({
      ...stopped,
      replaced: true,
      signal: "SIGKILL",
    });
    expect(await print("trap - INT TERM; echo alive")).toBe("alive\n");
    // A trap of the user's on the signal that stops the shell lasts for one command.
    await run("trap '' URG");
    expect(await run("while :; do :; done", { timeoutMs: 1_500 })).toMatchObject(stopped);
  });

  test("lets a program end in its own way", async () => {
    const { run } = testShell();
    const program = "trap 'echo tidy; exit 0' INT; echo ready; while :; do sleep 0.02; done";
    expect(await run(`sh -c "${program}"; echo not reached`, { timeoutMs: 3_000 })).toMatchObject({
      ...stopped,
      stdout: "ready\ntidy\n",
    });
  });

  test("ends the program that `exec` put in the shell's place", async () => {
    const { run, print } = testShell();
    await run("x=1");
    const { notes, ...rest } = await run("exec sleep 1000", { timeoutMs: 1_500 });
    expect(rest).toMatchObject({ ...stopped, replaced: true, signal: "SIGINT" });
    expect(notes).toEqual([
      "the shell had to be ended with the command; a new one took its place: directory, variables, functions and aliases are as they were before this command",
      lostWithIt,
    ]);
    expect(await print("echo $x")).toBe("1\n");
  });

  test("ends stopped processes and the command's own background jobs, and no job of an earlier command", async () => {
    const { run, shells, cwd } = testShell();
    await run("sleep 1000 >/dev/null 2>&1 & echo $! >earlier");
    await run("(sleep 1000; echo no) & echo $! >older");
    const command = "sleep 1000 & echo $! >mine; sh -c 'kill -STOP $$' & sleep 1000";
    expect(await run(command, { timeoutMs: 2_000 })).toMatchObject({ ...stopped, stdout: "" });
    const pids = ["earlier", "older", "mine"].map((name) => pidIn(join(cwd, name)) ?? 0);
    expect(pids.map(isRunning)).toEqual([true, true, false]);
    for (const pid of pids.slice(0, 2)) process.kill(pid, "SIGKILL");
    // What omp has ended was not left running: one is, of the older command's two.
    await until("they are gone", () => !pids.some(isRunning));
    expect(await shells.close()).toEqual({ shells: [], jobs: ["sleep"] });
  });
});

describe("an abort", () => {
  test("stops the command and keeps what was written", async () => {
    const { run, print, cwd } = testShell();
    const controller = new AbortController();
    const onStdout = () => controller.abort();
    expect(await run("echo early; sleep 1000; echo after", { signal: controller.signal, onStdout })).toEqual(
      plain(cwd, { exitCode: null, signal: "SIGINT", cancelled: true, stdout: "early\n" }),
    );
    expect(await print("echo alive")).toBe("alive\n");
  });

  test("before the start starts nothing", async () => {
    const { run, cwd } = testShell();
    expect(await run("touch started", { signal: AbortSignal.abort() })).toEqual(
      plain(cwd, { exitCode: null, cancelled: true }),
    );
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });

  test("never reaches omp's own group", async () => {
    const { run, cwd } = testShell();
    const controller = new AbortController();
    const witness = Bun.spawn(["sleep", "1000"]);
    await run("echo $$ >pid; sleep 1000", { timeoutMs: 1_500, signal: controller.signal });
    const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
    expect(groupMembers(pid)).toEqual([pid]);
    expect(isRunning(witness.pid)).toBe(true);
    witness.kill();
    await witness.exited;
  });
});

describe("the end of the session", () => {
  test("ends what commands left running, and tells what that was", async () => {
    const { run, shells, cwd } = testShell();
    await run("sleep 1000 & echo $! >first; exit");
    await run("sleep 1001 >/dev/null 2>&1 & echo $! >second");
    const pids = ["first", "second"].map((name) => pidIn(join(cwd, name)) ?? 0);
    for (const pid of pids) await until("it is no copy of bash any more", () => nameOf(pid) === "sleep");
    expect(await shells.close()).toEqual({ shells: [], jobs: ["sleep", "sleep"] });
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  test("takes nothing of the shell's own for a program that was left running", async () => {
    for (let times = 0; times < 5; times += 1) {
      const { run, shells } = testShell();
      await run("exit 3");
      expect(await shells.close()).toEqual({ shells: [], jobs: [] });
    }
  });

  test("ends the command that runs", async () => {
    const { run, shells, cwd } = testShell();
    const running = run("echo $$ >pid; sleep 1000");
    const pid = await until("it runs", () => pidIn(join(cwd, "pid")));
    await shells.close();
    expect(await running).toMatchObject({ cancelled: true });
    expect(groupMembers(pid)).toEqual([]);
  });

  test("is the same when omp is killed", async () => {
    const { cwd } = testShell();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "fixtures/killed-omp.ts"), cwd], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
    const files = ["shell", "foreground", "job", "background"].map((name) => join(cwd, name));
    const pids = await until("everything runs", () => {
      const found = files.map(pidIn);
      return found.every((pid) => pid !== undefined) ? found.map((pid) => pid ?? 0) : undefined;
    });
    const directory = readFileSync(join(cwd, "directory"), "utf8");
    expect(pids.map(isRunning)).toEqual([true, true, true, true]);
    child.kill("SIGKILL");
    await child.exited;
    await until("all of them are gone", () => !pids.some(isRunning));
    await until("the private directory is gone", () => !existsSync(directory));
    writeFileSync(join(cwd, "done"), "");
  });
});
