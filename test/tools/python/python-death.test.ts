import { expect, test } from "bun:test";
import { KernelPool } from "../../../src/kernel/pool/pool.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { cellsOf, pythonSession } from "./python-session.ts";

const GONE = "A new one was started: all variables, imports and other state are gone.";
const KILL = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)";

for (const version of pythonsUnderTest) {
  describeWithPython(version, `a kernel that dies under the python tool, ${version.name}`, () => {
    test("is said to have died, is replaced, and the next call works without its state", async () => {
      const python = await pythonSession({ python: version });
      await python.run("x = 1");
      const pid = (await python.run("import os\nos.getpid()")).output;
      // Killed once its words are out: what libzmq has not written yet dies with the process.
      const onUpdate = (text: string) => {
        if (text.includes("last words")) process.kill(Number(pid), "SIGKILL");
      };
      const dying = "print('last words', flush=True)\nwhile True: pass";
      const cells = [{ code: "y = 2" }, { code: dying }, { code: "z = 3" }];
      const result = await python.call({ cells }, { onUpdate });
      expect(result.isError).toBe(true);
      expect(result.output).toContain("last words");
      expect(result.output).toEndWith(`[The kernel died: killed by SIGKILL. ${GONE}]`);
      expect(result.output).toContain("[cell 2 of 3 ended with the kernel; the cell after it did not run]");
      expect(result.details.kernelRestarted).toBe(true);
      expect(cellsOf(result).map(({ status }) => status)).toEqual(["ok", "died", "not run"]);
      const next = await python.run("[name for name in 'xyz' if name in dir()]");
      expect(next).toMatchObject({ isError: false, output: "[]" });
      expect(next.details.kernelRestarted).toBeUndefined();
    });

    test("twice is given up until a reset, whatever has worked in between", async () => {
      const python = await pythonSession({ python: version });
      const first = await python.run(KILL);
      expect(first.details.kernelRestarted).toBe(true);
      expect((await python.run("1")).output).toBe("1");
      const second = await python.run(KILL);
      expect(second.details.kernelRestarted).toBe(false);
      expect(second.output).toContain("The kernel died again: killed by SIGKILL.");
      expect(second.output).toContain("reset: true");
      const refused = await python.run("1");
      expect(refused.isError).toBe(true);
      expect(refused.output).toMatch(
        /^python: the kernel died again: killed by SIGKILL\. .*reset: true.* \(KERNEL_GIVEN_UP\)$/,
      );
      const reset = await python.call({ cells: [{ code: "'back'" }], reset: true });
      expect(reset).toMatchObject({ isError: false, output: "'back'" });
      expect((await python.run(KILL)).details.kernelRestarted).toBe(true);
    });

    test("between two calls is told to the next one", async () => {
      const python = await pythonSession({ python: version });
      await python.run("x = 1");
      const kernel = python.pool.sessions[0]?.kernel;
      if (!kernel) throw new Error("no kernel");
      process.kill(kernel.facts.pid, "SIGKILL");
      await kernel.exited;
      const next = await python.run("'x' in dir()");
      expect(next).toMatchObject({
        isError: false,
        output: `[The kernel died between two calls: killed by SIGKILL. ${GONE}]\nFalse`,
      });
      expect(next.details.kernelRestarted).toBe(true);
    });
  });
}

describeWithPython(testPython, "code that cannot be interrupted", () => {
  test("past its timeout costs the kernel, which is said; the next call works", async () => {
    const python = await pythonSession({ python: testPython });
    const code =
      "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('deaf', flush=True)\nwhile True: pass";
    const result = await python.call({ cells: [{ code }], timeout: 3 });
    expect(result.output.split("\n")).toEqual([
      "deaf",
      "Command timed out after 3 seconds",
      `[The kernel was ended by omp: it did not respond to an interrupt. ${GONE}]`,
    ]);
    expect(result.details).toMatchObject({ timedOut: true, kernelRestarted: true });
    expect((await python.run("'works'")).output).toBe("'works'");
  });
});

describeWithPython(testPython, "closing while a call runs", () => {
  test("ends the call with a result, and starts nothing any more", async () => {
    const python = await pythonSession({ python: testPython });
    const begun = Promise.withResolvers<void>();
    const running = python.call(
      { cells: [{ code: "print('begun', flush=True)\nwhile True: pass" }] },
      { onUpdate: (text) => text.includes("begun") && begun.resolve() },
    );
    await begun.promise;
    await python.pool.close();
    const result = await running;
    expect(result.isError).toBe(true);
    expect(result.details.kernelRestarted).toBe(false);
    expect(await python.run("1")).toMatchObject({
      isError: true,
      output: "python: omp is ending (KERNEL_CLOSED)",
    });
  });

  test("an idle kernel that is evicted is told at the next call", async () => {
    const python = await pythonSession({ python: testPython, pool: { idleMs: 50 } });
    expect(python.pool).toBeInstanceOf(KernelPool);
    await python.run("x = 1");
    await until("the kernel was given back", () => python.pool.sessions.length === 0);
    const next = await python.run("'x' in dir()");
    expect(next.output).toMatch(/^\[The kernel was ended by omp: it was not used for .+\]\nFalse$/);
    expect(next.details.kernelRestarted).toBe(true);
  });
});

describeWithPython(testPython, "code that crashes the interpreter", () => {
  test("leaves Python's own report of where it happened", async () => {
    const python = await pythonSession({ python: testPython });
    const result = await python.run("import ctypes\nctypes.string_at(0)");
    expect(result.output).toContain("Fatal Python error: Segmentation fault");
    expect(result.output).toEndWith(
      `[The kernel died: crashed with a segmentation fault (SIGSEGV). ${GONE}]`,
    );
  });
});
