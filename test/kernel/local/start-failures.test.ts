import { beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/home.ts";
import {
  deafCell,
  kernelEnvironment,
  kernelErrorOf,
  localKernels,
  type TestKernels,
} from "../../support/kernels.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { filesLeft, processesLeft } from "./left-behind.ts";

/** A program that stands for a broken Python. */
function program(text: string): string {
  const file = join(temporaryDirectory(), "python");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

function expectNothingLeft(left: TestKernels): void {
  expect(
    filesLeft(left.base).flatMap((name) => [
      ...new Bun.Glob("k*").scanSync({ cwd: join(left.base, name), onlyFiles: false }),
    ]),
  ).toEqual([]);
  expect(processesLeft(left)).toEqual([]);
}

describeWithPython(testPython, "a kernel that does not start", () => {
  let bareVenv = "";
  beforeAll(() => {
    bareVenv = join(temporaryDirectory({ lasts: "file" }), "venv");
    const made = Bun.spawnSync([testPython.path, "-m", "venv", "--without-pip", bareVenv]);
    expect(made.exitCode).toBe(0);
  });

  test("for want of a Python says which", async () => {
    const python = join(temporaryDirectory(), "no-such-python");
    const left = localKernels({ python });
    const error = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(error).toMatchObject({ kind: "start-failed", message: `python: ${python} not found (ENOENT)` });
    expectNothingLeft(left);
  });

  test("because the Python is no program says so", async () => {
    const python = join(temporaryDirectory(), "python");
    writeFileSync(python, "not a program");
    const left = localKernels({ python });
    const error = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(error).toMatchObject({
      kind: "start-failed",
      message: `python: ${python} cannot be run: permission denied (EACCES)`,
    });
    expectNothingLeft(left);
  });

  test("because its directory is gone says so", async () => {
    const left = localKernels();
    const cwd = join(left.home, "gone");
    const error = await kernelErrorOf(left.kernels.start({ cwd }));
    expect(error).toMatchObject({
      kind: "start-failed",
      message: `python: working directory '${cwd}' does not exist (ENOENT)`,
    });
    expectNothingLeft(left);
  });

  test("for want of ipykernel says so, in one line", async () => {
    const left = localKernels({ python: join(bareVenv, "bin", "python") });
    const { kind, message, cause } = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(kind).toBe("start-failed");
    expect(message).toMatch(
      /^python: the kernel ended while starting: exited with code 1: .*No module named '?ipykernel_launcher'? \(KERNEL_START\)$/,
    );
    expect(String(cause)).toContain("ipykernel_launcher");
    expectNothingLeft(left);
  });

  test("because it ends at once says why, with its last words", async () => {
    const left = localKernels({
      python: program("echo 'many words' >&2; echo 'libfoo.so.3: cannot open' >&2; exit 3"),
    });
    const error = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(error.message).toBe(
      "python: the kernel ended while starting: exited with code 3: libfoo.so.3: cannot open (KERNEL_START)",
    );
    expectNothingLeft(left);
  });

  test("because a disk is full says which file found no room, and what helps", async () => {
    const words =
      "OSError: [Errno 28] No space left on device: '/lib/README' -> '/home/u/.ipython/profile_default/startup/README'";
    const left = localKernels({ python: program(`echo "${words}" >&2; exit 1`) });
    const error = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(error.message).toBe(
      "python: the kernel cannot start: the disk is full, so '/home/u/.ipython/profile_default/startup/README' cannot be written; free some space, or set IPYTHONDIR to a directory on another disk (ENOSPC)",
    );
    expectNothingLeft(left);
  });

  test.each([20, 48])(
    "because it may open no more than %d files says so, whatever it died of",
    async (limit) => {
      const left = localKernels({ python: program(`ulimit -n ${limit}; exec '${testPython.path}' "$@"`) });
      expect(await kernelErrorOf(left.kernels.start({ cwd: left.home }))).toMatchObject({
        kind: "exhausted",
        message:
          "python: no room for another kernel: it is not allowed to open as many files as it needs; raise the limit (ulimit -n) (EMFILE)",
      });
      expectNothingLeft(left);
    },
  );

  test("because its files cannot be written says so", async () => {
    const { kernels, base, home } = localKernels();
    await kernels.start({ cwd: home });
    const shared = join(base, `omp-${process.getuid?.()}`);
    const own = join(shared, readdirSync(shared)[0] ?? "");
    writeFileSync(join(own, "k2"), "in the way");
    expect(await kernelErrorOf(kernels.start({ cwd: home }))).toMatchObject({
      kind: "start-failed",
      message: `python: the kernel's files cannot be written to '${own}'; set TMPDIR to another directory (EEXIST)`,
    });
  });

  test("because something kills it says so", async () => {
    const left = localKernels({ python: program("kill -SEGV $$") });
    const error = await kernelErrorOf(left.kernels.start({ cwd: left.home }));
    expect(error.message).toBe(
      "python: the kernel ended while starting: crashed with a segmentation fault (SIGSEGV) (KERNEL_START)",
    );
    expectNothingLeft(left);
  });

  test.each(["ipc", "tcp"] as const)(
    "within its time is ended, and the setting is named (%s)",
    async (transport) => {
      const home = temporaryDirectory();
      writeFileSync(join(home, "sitecustomize.py"), "import time\ntime.sleep(1000)\n");
      const env = { ...kernelEnvironment(home), PYTHONPATH: home };
      const left = { ...localKernels({ env, transport, startTimeoutMs: 400 }), home };
      const error = await kernelErrorOf(left.kernels.start({ cwd: home }));
      expect(error).toMatchObject({
        kind: "start-failed",
        message:
          "python: the kernel was not ready after 0.4 seconds; to wait longer, raise the setting python.startTimeout (KERNEL_START_TIMEOUT)",
      });
      expectNothingLeft(left);
    },
  );

  test("because an extension module never ends, whatever happens, names it", async () => {
    const home = temporaryDirectory();
    const path = join(home, "endless.py");
    writeFileSync(path, deafCell);
    const options = { env: kernelEnvironment(home), startTimeoutMs: 10_000 };
    const left = {
      ...localKernels({ ...options, extensionModules: () => [{ name: "endless", path }] }),
      home,
    };
    expect((await kernelErrorOf(left.kernels.start({ cwd: home }))).message).toBe(
      `python: the extension module endless hangs, and does not respond to an interrupt; fix or remove ${path} (KERNEL_MODULE)`,
    );
    expectNothingLeft(left);
  });

  test("because its start was aborted is gone when the call ends", async () => {
    const left = localKernels({ python: program("exec sleep 1000") });
    const abort = new AbortController();
    const start = left.kernels.start({ cwd: left.home, signal: abort.signal });
    await until("the process runs", () => processesLeft(left).length > 0);
    abort.abort(new Error("changed my mind"));
    await expect(start).rejects.toThrow("changed my mind");
    expectNothingLeft(left);
  });

  test("aborted at any moment of a real start leaves nothing", async () => {
    const left = localKernels();
    for (const delayMs of [1, 100, 200, 300, 400, 500, 600]) {
      const signal = AbortSignal.timeout(delayMs);
      await left.kernels.start({ cwd: left.home, signal }).then(
        (kernel) => kernel.shutdown(),
        (error) => expect(error).toBe(signal.reason),
      );
      expectNothingLeft(left);
    }
  });

  test("because everything closes is gone when that has ended", async () => {
    const left = localKernels({ python: program("exec sleep 1000") });
    const start = kernelErrorOf(left.kernels.start({ cwd: left.home }));
    await until("the process runs", () => processesLeft(left).length > 0);
    await left.kernels.close();
    expect(processesLeft(left)).toEqual([]);
    expect(filesLeft(left.base)).toEqual([]);
    expect((await start).kind).toBe("closed");
    expect((await kernelErrorOf(left.kernels.start({ cwd: left.home }))).kind).toBe("closed");
    await left.kernels.warmUp();
    expect(filesLeft(left.base)).toEqual([]);
  });

  test("because there is no place for its sockets says so", async () => {
    const base = temporaryDirectory();
    const missing = join(base, "missing");
    const file = join(base, "file");
    writeFileSync(file, "");
    const { kernels, home } = localKernels({ runtimeBases: [missing, file] });
    const error = await kernelErrorOf(kernels.start({ cwd: home }));
    expect(error.message).toStartWith(
      `python: no directory for the kernel's sockets can be made in ${missing}, ${file} (`,
    );
    mkdirSync(missing);
    await (await kernels.start({ cwd: home })).shutdown();
  });
});
