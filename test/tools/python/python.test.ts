import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/home.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { cellsOf, type PythonSession, pythonSession, receiveAll } from "./python-session.ts";

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
      expect(details).toEqual({ success: false, error: output, code: "INVALID_INPUT" });
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

    test("say which lines are whose, also when they print what looks like a heading", async () => {
      const starts: (number | undefined)[] = [];
      const { output, details } = await python.call(
        {
          cells: [
            { code: "print('[2/3] mine\\n')", title: "a\n\x1b[31mtitle" },
            { code: "1 / 0" },
            { code: "0" },
          ],
        },
        { onUpdate: (_, cell) => starts.push(cell) },
      );
      const [first = { lines: 0 }, ...segments] = details.segments ?? [];
      const traceback = output.split("\n").length - 5;
      expect(output).toStartWith("[1/3] a title\n[2/3] mine\n\n[2/3]\n");
      expect([first, ...segments]).toEqual([
        { lines: 1, note: "" },
        { lines: 2, cell: 0 },
        { lines: 1, note: "" },
        { lines: traceback, cell: 1 },
        { lines: 1, note: "" },
      ]);
      expect(starts.filter((cell) => cell !== undefined)).toEqual([1, 2]);
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
      const first = await python.call({ cells: [{ code: "1 / 0" }, { code: "after = 3" }] });
      expect(first.output).toEndWith("\n[cell 1 of 2 failed; the cell after it did not run]");
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
        {
          status: "ok",
          durationMs: expect.any(Number),
          executionCount: expect.any(Number),
          displays: [],
        },
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
          "import os, threading, time",
          "def later():",
          "  while not os.path.exists('calls are over'): time.sleep(0.005)",
          "  print('from the thread', flush=True)",
          "  open('printed', 'w').close()",
          "threading.Thread(target=later).start()",
        ].join("\n"),
      );
      await python.run("pass");
      writeFileSync(join(python.project, "calls are over"), "");
      await until("it has printed", () => existsSync(join(python.project, "printed")));
      await receiveAll(python);
      const { output } = await python.run("'mine'");
      expect(output).toBe("[printed since the last call]\nfrom the thread\n'mine'");
    });

    test("and so is what it shows", async () => {
      await python.run(
        [
          "def later():",
          "  while not os.path.exists('all calls are over'): time.sleep(0.005)",
          "  display({'text/plain': 'shown by the thread'}, raw=True)",
          "  open('shown', 'w').close()",
          "threading.Thread(target=later).start()",
        ].join("\n"),
      );
      await python.run("pass");
      writeFileSync(join(python.project, "all calls are over"), "");
      await until("it has shown it", () => existsSync(join(python.project, "shown")));
      await receiveAll(python);
      const result = await python.run("'mine'");
      expect(result.output).toBe("[shown since the last cell]\nshown by the thread\n'mine'");
      expect(cellsOf(result)[0]?.displays).toMatchObject([
        { line: 1, lines: 1, text: "shown by the thread" },
        { line: 2, lines: 1, text: "'mine'" },
      ]);
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

  test("output that is no text is told by its size and type, and kept as it is", async () => {
    const code =
      "import sys\nprint('before')\nn = sys.stdout.buffer.write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(range(256)))\nprint('after')";
    const { output, details } = await python.run(code);
    expect(output).toMatch(
      /^before\n\[binary output: 264 bytes, image\/png\]\nafter\n\[binary output not shown; full output: artifact:\/\/\w+\]$/,
    );
    const bytes = Buffer.concat([
      Buffer.from("before\n\x89PNG\r\n\x1a\n", "latin1"),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.from("after\n"),
    ]);
    expect(details.totalBytes).toBe(bytes.length);
    expect(readFileSync(python.artifacts.find(String(details.artifact)) ?? "")).toEqual(bytes);
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

  test("what of omp's does not work in a kernel is told once, and output is whole without it", async () => {
    const launch = [testPython.path, "-m", "ipykernel_launcher", "-f", "{connection_file}"];
    const session = await pythonSession({
      python: testPython,
      argv: [...launch, "--IPKernelApp.quiet=False"],
    });
    const told = "[In this kernel omp does without fast output: the kernel echoes its output.]";
    expect((await session.run("print('printed')")).output).toBe(`${told}\nprinted`);
    expect((await session.run("print('printed')")).output).toBe("printed");
  });
});
