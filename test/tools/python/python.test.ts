import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/home.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

describeWithPython(testPython, "the python tool", () => {
  let python: PythonSession;
  beforeAll(async () => {
    python = await pythonSession({ python: testPython, lasts: "file" });
  });

  describe("input", () => {
    test.each([
      [{}, "cells"],
      [{ cells: [] }, "cells"],
      [{ cells: "print(1)" }, "cells"],
      [{ cells: [{}] }, "code"],
      [{ cells: [{ code: 7 }] }, "code"],
      [{ cells: [{ code: "1", lang: "r" }] }, "lang"],
      [{ cells: [{ code: "1" }], timeout: "5" }, "timeout"],
      [{ cells: [{ code: "1" }], timeout: Number.NaN }, "timeout"],
      [{ cells: [{ code: "1" }], reset: "yes" }, "reset"],
      [{ cells: [{ code: "1" }], cwd: 7 }, "cwd"],
      [{ cells: [{ code: "1" }], code: "1" }, "code"],
      ["print(1)", "input"],
      [null, "input"],
    ])("%j is refused in one line that names the field", async (input, field) => {
      const { isError, output, details } = await python.call(input);
      expect(isError).toBe(true);
      expect(output).toMatch(/^python: .*\(INVALID_INPUT\)$/);
      if (field !== "input") expect(output).toContain(field);
      expect(details).toEqual({ code: "INVALID_INPUT" });
    });

    test("a directory that cannot be used is refused before anything runs", async () => {
      writeFileSync(join(python.project, "file.txt"), "");
      const missing = await python.call({ cells: [{ code: "ran = 1" }], cwd: "missing" });
      expect(missing).toMatchObject({
        isError: true,
        output: `python: Working directory does not exist '${join(python.project, "missing")}' (ENOENT)`,
      });
      const file = await python.call({ cells: [{ code: "ran = 1" }], cwd: "file.txt" });
      expect(file.output).toBe(
        `python: Working directory is not a directory '${join(python.project, "file.txt")}' (ENOTDIR)`,
      );
    });
  });

  describe("cells", () => {
    test("run in order; state persists from call to call", async () => {
      const first = await python.run("x = 20", "x += 1\nprint(x)", "x * 2");
      expect(first).toMatchObject({ isError: false, output: "[1/3]\n[2/3]\n21\n[3/3]\n42" });
      const counts = cellsOf(first).map(({ executionCount }) => executionCount);
      expect(counts).toEqual([1, 2, 3]);
      expect((await python.run("x")).output).toBe("21");
    });

    test("without output say so", async () => {
      expect(await python.run("pass")).toMatchObject({ isError: false, output: "(no output)" });
    });

    test("after one that fails do not run; it is named, and the earlier ones keep their effect", async () => {
      const result = await python.call({
        cells: [
          { code: "before = 1", title: "prepare" },
          { code: "print('halfway')\n1 / 0", title: "divide" },
          { code: "after = 1" },
          { code: "after = 2" },
        ],
      });
      expect(result.isError).toBe(true);
      expect(result.output).toStartWith("[1/4] prepare\n[2/4] divide\nhalfway\n");
      expect(result.output).toContain("ZeroDivisionError: division by zero");
      expect(result.output).toEndWith(
        "[cell 2 of 4 (divide) failed; the 2 cells after it did not run; earlier cells keep their effect]",
      );
      expect(cellsOf(result).map(({ title, status }) => [title, status])).toEqual([
        ["prepare", "ok"],
        ["divide", "error"],
        [undefined, "not run"],
        [undefined, "not run"],
      ]);
      expect(cellsOf(result)[1]?.error).toEqual({ name: "ZeroDivisionError", value: "division by zero" });
      expect((await python.run("before, 'after' in dir()")).output).toBe("(1, False)");
    });

    test("tracebacks come without escape codes", async () => {
      const { output } = await python.run("def broken():\n  raise ValueError('no good')\nbroken()");
      expect(output).toContain("ValueError: no good");
      expect(output).toContain("broken()");
      expect(output).not.toContain("\u001b");
    });

    test("that ask for a keyboard end at once, and the result says why", async () => {
      const result = await python.run("name = input('Your name? ')");
      expect(result.isError).toBe(true);
      expect(result.details.stdinRequested).toBe(true);
      expect(result.output).toMatch(/keyboard/);
      expect((await python.run("'fine'")).details.stdinRequested).toBeUndefined();
    });

    test("details have the names of the contract", async () => {
      const result = await python.run("print('a')\nprint('b')");
      const { durationMs, artifact, cells, ...rest } = result.details;
      expect(rest).toEqual({ cwd: python.project, truncated: false, totalBytes: 4, totalLines: 2 });
      expect(durationMs).toBeNumber();
      expect(python.artifact(artifact)).toBe("a\nb\n");
      expect(cells).toEqual([
        { status: "ok", durationMs: expect.any(Number), executionCount: expect.any(Number), displays: [] },
      ]);
    });

    test("status events of helpers are in the details, and not in the text", async () => {
      const result = await python.run(
        "get_ipython().display_pub.publish({'application/x-omp-status': {'op': 'write', 'label': 'Wrote a.txt', 'detail': {'bytes': 3}}})",
      );
      expect(result.output).toBe("(no output)");
      expect(cellsOf(result)[0]).toMatchObject({
        displays: [],
        events: [{ op: "write", label: "Wrote a.txt", detail: { bytes: 3 } }],
      });
    });
  });

  describe("sessions", () => {
    test("each directory has a kernel of its own, with that directory as its own", async () => {
      const sub = join(python.project, "sub");
      mkdirSync(sub);
      await python.run("where = 'project'");
      const result = await python.call({
        cells: [{ code: "import os\nos.getcwd(), 'where' in dir()" }],
        cwd: "sub",
      });
      expect(result.output).toBe(`('${sub}', False)`);
      expect(result.details.cwd).toBe(sub);
      expect(
        (await python.call({ cells: [{ code: "os.path.basename(os.getcwd())" }], cwd: sub })).output,
      ).toBe("'sub'");
    });

    test("reset starts from an empty kernel, once, before the first cell", async () => {
      await python.run("gone = 1");
      const result = await python.call({
        cells: [{ code: "kept = 'gone' in dir()" }, { code: "kept" }],
        reset: true,
      });
      expect(result.output).toBe("[1/2]\n[2/2]\nFalse");
      expect(result.details.kernelRestarted).toBeUndefined();
      expect(cellsOf(result).map(({ executionCount }) => executionCount)).toEqual([1, 2]);
      expect((await python.run("kept")).output).toBe("False");
    });

    test("per-call keeps nothing", async () => {
      const once = await pythonSession({ python: testPython, pool: { mode: "per-call" } });
      expect((await once.run("x = 1", "x")).output).toEndWith("1");
      expect((await once.run("'x' in dir()")).output).toBe("False");
    });

    test("what a thread prints between two calls is told to the next", async () => {
      await python.run(
        [
          "import threading",
          "go = threading.Event()",
          "def later():",
          "  go.wait()",
          "  print('from the thread', flush=True)",
          "  open('printed', 'w').close()",
          "threading.Thread(target=later).start()",
        ].join("\n"),
      );
      await python.run("threading.Timer(0.1, go.set).start()");
      await until("it has printed", () => existsSync(join(python.project, "printed")));
      // The text was sent before the file was made, but on another way.
      let output = "";
      while (!output.includes("thread")) output = (await python.run("'mine'")).output;
      expect(output).toBe("[printed since the last call]\nfrom the thread\n'mine'");
    });
  });

  describe("streaming", () => {
    test("output is told while it comes, colours kept", async () => {
      const parts: string[] = [];
      const abort = new AbortController();
      const result = await python.call(
        {
          cells: [
            {
              code: "import time\nprint('\\x1b[31mfirst\\x1b[0m', flush=True)\nwhile True: time.sleep(0.01)",
            },
          ],
        },
        {
          signal: abort.signal,
          onUpdate: (text) => {
            parts.push(text);
            if (parts.join("").includes("first")) abort.abort();
          },
        },
      );
      expect(parts.join("")).toStartWith("\u001b[31mfirst");
      expect(result.output).toStartWith("first\n");
    });
  });

  describe("an abort", () => {
    test("ends the cell; what it had printed is kept, and so is the state", async () => {
      await python.run("kept = 'yes'");
      const abort = new AbortController();
      const result = await python.call(
        { cells: [{ code: "print('begun', flush=True)\nwhile True: pass" }, { code: "1" }] },
        { signal: abort.signal, onUpdate: (text) => text.includes("begun") && abort.abort() },
      );
      expect(result.isError).toBe(true);
      expect(result.output).toContain("begun\n");
      expect(result.output).toContain("[interrupted by the user]");
      expect(result.details).toMatchObject({ cancelled: true });
      expect(result.details.timedOut).toBeUndefined();
      expect(cellsOf(result).map(({ status }) => status)).toEqual(["interrupted", "not run"]);
      expect((await python.run("kept")).output).toBe("'yes'");
    });

    test("before the call, or while its kernel starts, is a result like any other", async () => {
      const before = await python.call({ cells: [{ code: "never = 1" }] }, { signal: AbortSignal.abort() });
      const abort = new AbortController();
      const starting = python.call(
        { cells: [{ code: "never = 1" }] },
        { signal: abort.signal, sessionId: "new" },
      );
      abort.abort();
      for (const result of [before, await starting]) {
        expect(result.isError).toBe(true);
        expect(result.output).toContain("interrupted by the user");
        expect(result.details).toMatchObject({ cancelled: true });
      }
      expect((await python.run("'never' in dir()")).output).toBe("False");
    });
  });

  describe("a timeout", () => {
    test("ends the call with its exact words, after what was captured until then", async () => {
      await python.run("kept = 'yes'");
      const result = await python.call({
        cells: [{ code: "print('begun', flush=True)\nwhile True: pass" }],
        timeout: 1,
      });
      expect(result.isError).toBe(true);
      expect(result.output).toStartWith("begun\n");
      expect(result.output.split("\n")).toContain("Command timed out after 1 seconds");
      expect(result.details).toMatchObject({ timedOut: true, cancelled: true });
      expect((await python.run("kept")).output).toBe("'yes'");
    });

    test("is for the whole call", async () => {
      const cell = { code: "import time\ntime.sleep(0.4)" };
      const result = await python.call({ cells: Array(8).fill(cell), timeout: 1 });
      expect(result.details).toMatchObject({ timedOut: true });
      const statuses = cellsOf(result).map(({ status }) => status);
      expect(statuses[0]).toBe("ok");
      expect(statuses.at(-1)).toBe("not run");
    });

    test("out of range is clamped, and the result says so", async () => {
      const low = await python.call({ cells: [{ code: "1" }], timeout: 0 });
      expect(low.output).toBe("[timeout 0 is outside 1 to 600 seconds; 1 was used]\n1");
      const high = await python.call({ cells: [{ code: "1" }], timeout: 1e9 });
      expect(high.output).toBe("[timeout 1000000000 is outside 1 to 600 seconds; 600 was used]\n1");
      const fine = await python.call({ cells: [{ code: "1" }], timeout: 600 });
      expect(fine.output).toBe("1");
    });

    test("that comes after the last cell changes nothing", async () => {
      const result = await python.call({ cells: [{ code: "'in time'" }], timeout: 1 });
      expect(result).toMatchObject({ isError: false, output: "'in time'" });
    });
  });

  describe("long output", () => {
    test("is cut to its end, with an artifact that has everything", async () => {
      const result = await python.run("for i in range(5000): print('line', i)");
      expect(result.isError).toBe(false);
      const lines = result.output.split("\n");
      expect(lines[0]).toContain(`artifact://${result.details.artifact}`);
      expect(lines.at(-1)).toBe("line 4999");
      expect(lines.length).toBeLessThanOrEqual(2001);
      expect(result.output.length).toBeLessThan(31_000);
      expect(result.details).toMatchObject({ truncated: true, totalLines: 5000 });
      const whole = python.artifact(result.details.artifact);
      expect(whole).toBe(Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join(""));
    });

    test("in one line is cut, too", async () => {
      const result = await python.run("print('x' * 1_000_000 + 'end')");
      expect(result.output.length).toBeLessThan(31_000);
      expect(result.output).toEndWith("xxxend");
      expect(python.artifact(result.details.artifact)).toHaveLength(1_000_004);
    });

    test("of a progress bar is its last state", async () => {
      const result = await python.run("for i in range(101): print(f'\\r{i} %', end='')\nprint()");
      expect(result.output).toBe("100 %");
    });

    test("in the value or the traceback counts like any other", async () => {
      const value = await python.run("'y' * 100_000");
      expect(value.output.length).toBeLessThan(31_000);
      expect(value.details.truncated).toBe(true);
      const failed = await python.run("raise ValueError('z' * 100_000)");
      expect(failed.output.length).toBeLessThan(31_000);
    });
  });

  test("modules that failed to load are told once a kernel", async () => {
    const path = join(temporaryDirectory(), "broken.py");
    writeFileSync(path, "raise RuntimeError('no luck')\n");
    const session = await pythonSession({ python: testPython, modules: [{ name: "broken", path }] });
    const told = "[The extension module broken failed to load and was skipped: RuntimeError: no luck]";
    expect((await session.run("1")).output).toBe(`${told}\n1`);
    expect((await session.run("1")).output).toBe("1");
    expect((await session.call({ cells: [{ code: "1" }], reset: true })).output).toBe(`${told}\n1`);
  });
});
