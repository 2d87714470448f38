import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killGroup } from "../../src/process/group.ts";
import { type FreshProcess, type ProcessOutcome, runFresh } from "../../src/process/run-fresh.ts";
import { ProcessError } from "../../src/process/spawn-fresh.ts";
import { temporaryDirectory } from "../support/home.ts";
import { groupMembers, isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";

interface Run extends Omit<ProcessOutcome, "durationMs"> {
  readonly stdout: string;
  readonly stderr: string;
}

const ownEnd = { signal: null, timedOut: false, cancelled: false, leftBehind: false };
const env = { PATH: process.env["PATH"] ?? "" };

async function run(argv: string[], options: Partial<FreshProcess> = {}): Promise<Run> {
  let stdout = "";
  let stderr = "";
  const { durationMs, ...outcome } = await runFresh({
    argv,
    cwd: "/",
    env,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onStdout: (chunk) => {
      stdout += Buffer.from(chunk).toString();
    },
    onStderr: (chunk) => {
      stderr += Buffer.from(chunk).toString();
    },
    ...options,
  });
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return { ...outcome, stdout, stderr };
}

const bash = (script: string, options: Partial<FreshProcess> = {}) => run(["bash", "-c", script], options);

describe("a program that ends by itself", () => {
  test("gives its output, both streams, and its exit code", async () => {
    expect(await bash("echo out; echo err >&2; exit 3")).toEqual({
      ...ownEnd,
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("runs where, and with exactly the environment, that was asked for", async () => {
    const cwd = temporaryDirectory();
    const result = await run(["env"], { cwd, env: { ...env, ONLY: "this" } });
    expect(result.stdout).toBe(`PATH=${env.PATH}\nONLY=this\n`);
    expect((await run(["pwd"], { cwd })).stdout).toBe(`${cwd}\n`);
  });

  test("finds its stdin empty", async () => {
    expect(await bash("cat; echo done")).toEqual({ ...ownEnd, exitCode: 0, stdout: "done\n", stderr: "" });
  });

  test("and dies of a signal of its own says which", async () => {
    expect(await bash("kill -SEGV $$")).toEqual({
      ...ownEnd,
      exitCode: null,
      signal: "SIGSEGV",
      stdout: "",
      stderr: "",
    });
  });

  test("leads a session of its own, apart from omp's", async () => {
    const { stdout } = await bash("ps -o pid=,pgid=,sid= -p $$");
    const [pid, pgid, sid] = stdout.trim().split(/\s+/);
    expect([pgid, sid]).toEqual([pid, pid]);
    expect(Number(pid)).not.toBe(process.pid);
  });

  test("loses no byte of much output", async () => {
    let bytes = 0;
    const onStdout = (chunk: Uint8Array) => {
      bytes += chunk.length;
    };
    await run(["head", "-c", "50000000", "/dev/zero"], { onStdout });
    expect(bytes).toBe(50_000_000);
  });
});

describe("what a program leaves behind", () => {
  test("does not hold the call though it holds the pipes, and is killed with its group", async () => {
    const directory = temporaryDirectory();
    const result = await bash("sleep 1000 & echo $! > child; echo started", { cwd: directory });
    expect(result).toEqual({ ...ownEnd, leftBehind: true, exitCode: 0, stdout: "started\n", stderr: "" });
    const child = pidIn(join(directory, "child")) ?? 0;
    await until("the child is gone", () => !isRunning(child));
  });

  test("is still heard for a moment: output that comes just after the program's end counts", async () => {
    // tee may well be the last to end.
    const result = await bash("exec > >(tee /dev/null); echo through tee");
    expect(result.stdout).toBe("through tee\n");
  });

  test("and fled to another session is out of reach, but does not hold the call either", async () => {
    const directory = temporaryDirectory();
    const result = await bash(
      "setsid sh -c 'echo $$ > child; exec sleep 1000' & echo started; until [ -s child ]; do :; done",
      {
        cwd: directory,
      },
    );
    expect(result).toEqual({ ...ownEnd, exitCode: 0, stdout: "started\n", stderr: "" });
    const child = pidIn(join(directory, "child")) ?? 0;
    expect(isRunning(child)).toBe(true);
    killGroup(child, "SIGKILL");
  });
});

describe("with endsEverything, what fled to another session", () => {
  const flee =
    "setsid sh -c 'echo $$ > child; exec sleep 1000' & echo started; until [ -s child ]; do :; done";

  test("is ended with the program, and told", async () => {
    const directory = temporaryDirectory();
    const options = { cwd: directory, endsEverything: true };
    const result = await bash(flee, options);
    expect(result).toEqual({ ...ownEnd, exitCode: 0, leftBehind: true, stdout: "started\n", stderr: "" });
    expect(isRunning(pidIn(join(directory, "child")) ?? 0)).toBe(false);
  });

  test("is ended at a timeout", async () => {
    const directory = temporaryDirectory();
    const tidy = "trap 'touch tidy; exit' TERM; echo $$ > child; while :; do sleep 0.02; done";
    const script = `setsid sh -c "${tidy.replaceAll("$", "\\$")}" & wait; exec sleep 1000`;
    const result = await bash(script, { cwd: directory, endsEverything: true, timeoutMs: 2_000 });
    expect(result).toMatchObject({ timedOut: true, leftBehind: false });
    await until("it is gone", () => !isRunning(pidIn(join(directory, "child")) ?? 0));
  });
});

// Each of these waits for seconds, and they share nothing: they wait together.
describe("a timeout", () => {
  test.concurrent("ends the program and keeps what it had written", async () => {
    expect(await bash("echo early; exec sleep 1000", { timeoutMs: 3_000 })).toEqual({
      ...ownEnd,
      exitCode: null,
      signal: "SIGTERM",
      timedOut: true,
      stdout: "early\n",
      stderr: "",
    });
  });

  test.concurrent("lets a program end in its own way after SIGTERM", async () => {
    const script = "trap 'echo tidy; exit 7' TERM; echo ready; while :; do :; done";
    expect(await bash(script, { timeoutMs: 3_000 })).toEqual({
      ...ownEnd,
      exitCode: 7,
      timedOut: true,
      stdout: "ready\ntidy\n",
      stderr: "",
    });
  });

  test.concurrent("kills a whole tree that ignores SIGTERM", async () => {
    const directory = temporaryDirectory({ lasts: "file" });
    const script =
      "trap '' TERM; (echo $BASHPID > child; while :; do sleep 0.05; done) & echo $$ > leader; wait; sleep 1000";
    const result = await bash(script, { timeoutMs: 3_000, cwd: directory });
    expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true, cancelled: false });
    const leader = pidIn(join(directory, "leader")) ?? 0;
    await until("the group is gone", () => groupMembers(leader).length === 0);
    expect(isRunning(pidIn(join(directory, "child")) ?? 0)).toBe(false);
  });

  test.concurrent("ends a stopped program, too", async () => {
    expect(await bash("kill -STOP $$", { timeoutMs: 3_000 })).toMatchObject({
      signal: "SIGTERM",
      timedOut: true,
    });
  });

  test.concurrent("is the cause also when an abort comes after it: the first wins", async () => {
    const controller = new AbortController();
    const result = await bash("trap 'echo termed' TERM; while :; do sleep 0.01; done", {
      timeoutMs: 3_000,
      signal: controller.signal,
      onStdout: () => controller.abort(),
    });
    expect(result).toMatchObject({ timedOut: true, cancelled: false, signal: "SIGKILL" });
  });
});

describe("an abort", () => {
  test("ends the program and keeps what it had written", async () => {
    const controller = new AbortController();
    let stdout = "";
    const result = await bash("echo early; exec sleep 1000", {
      signal: controller.signal,
      onStdout: (chunk) => {
        stdout += Buffer.from(chunk).toString();
        controller.abort();
      },
    });
    expect({ ...result, stdout }).toEqual({
      ...ownEnd,
      exitCode: null,
      signal: "SIGTERM",
      cancelled: true,
      stdout: "early\n",
      stderr: "",
    });
  });

  test("before the start starts nothing", async () => {
    const directory = temporaryDirectory();
    const result = await bash("echo > started", { cwd: directory, signal: AbortSignal.abort() });
    expect(result).toEqual({ ...ownEnd, cancelled: true, exitCode: null, stdout: "", stderr: "" });
    expect(pidIn(join(directory, "started"))).toBeUndefined();
  });
});

describe("a program that cannot be started", () => {
  async function failure(argv: string[], options: Partial<FreshProcess> = {}): Promise<unknown> {
    const error = await run(argv, options).catch((thrown: unknown) => thrown);
    if (!(error instanceof ProcessError)) throw error;
    return { kind: error.kind, message: error.message };
  }

  test("is an error that says why", async () => {
    const directory = temporaryDirectory();
    const file = join(directory, "file");
    writeFileSync(file, "not a program");
    expect(await failure(["/nowhere/program"])).toEqual({
      kind: "not-found",
      message: "spawn: /nowhere/program not found (ENOENT)",
    });
    expect(await failure([file])).toEqual({
      kind: "not-permitted",
      message: `spawn: ${file} cannot be run: permission denied (EACCES)`,
    });
    chmodSync(file, 0o700);
    expect(await failure([file])).toEqual({
      kind: "failed",
      message: `spawn: ${file} could not be started (ENOEXEC)`,
    });
    expect(await failure(["bash", "-c", "x".repeat(200_000)])).toEqual({
      kind: "too-long",
      message: "spawn: arguments and environment are too long (E2BIG)",
    });
    expect(await failure(["bash"], { cwd: join(directory, "ghost") })).toEqual({
      kind: "bad-directory",
      message: `spawn: Working directory does not exist '${directory}/ghost' (ENOENT)`,
    });
    expect(await failure(["bash"], { cwd: file })).toEqual({
      kind: "bad-directory",
      message: `spawn: Working directory is not a directory '${file}' (ENOTDIR)`,
    });
  });

  test("an argument that no program can get is a bug of the caller, and is seen", async () => {
    const error = await run(["bash", "-c", "a\0b"]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
  });
});

test("a consumer that throws ends the call and the program", async () => {
  const directory = temporaryDirectory();
  const thrown = await bash("echo $$ > leader; echo; exec sleep 1000", {
    cwd: directory,
    onStdout: () => {
      throw new Error("full");
    },
  }).catch((error: unknown) => error);
  expect(thrown).toEqual(new Error("full"));
  const leader = pidIn(join(directory, "leader")) ?? 0;
  await until("the group is gone", () => groupMembers(leader).length === 0);
});
