/** What a cell's reply says beside its output: whether it failed, what a pager would show, that the kernel is to end. */

import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPython, pythonsUnderTest, testPython } from "../../support/python.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

const GONE = "A new one was started: all variables, imports and other state are gone.";

for (const version of pythonsUnderTest) {
  describeWithPython(version, `the reply to a cell, ${version.name}`, () => {
    let python: PythonSession;
    beforeAll(async () => {
      python = await pythonSession({ python: version, lasts: "file" });
    });

    describe("an error that code shows and survives", () => {
      const caught = (then: string) => `try: 1 / 0\nexcept ZeroDivisionError:\n  ${then}`;
      test.each([
        ["showtraceback()", caught("get_ipython().showtraceback()")],
        ["sys.excepthook()", caught("import sys; sys.excepthook(*sys.exc_info())")],
        ["%tb", "%tb"],
      ])("is output, and the next cells run: %s", async (_name, code) => {
        await python.run("1 / 0");
        const result = await python.run(code, "print('went on')");
        expect(result.isError).toBe(false);
        expect(result.output).toContain("ZeroDivisionError");
        expect(result.output).toEndWith("[2/2]\nwent on");
        expect(cellsOf(result).map(({ status, error }) => [status, error])).toEqual([
          ["ok", undefined],
          ["ok", undefined],
        ]);
      });

      test("is told apart from the one that ends the cell", async () => {
        const result = await python.run(`${caught("get_ipython().showtraceback()")}\nraise KeyError('own')`);
        expect(result.output.match(/ZeroDivisionError: /g)).toHaveLength(1);
        expect(result.output.match(/KeyError: /g)).toHaveLength(1);
        expect(cellsOf(result)[0]?.error).toEqual({ name: "KeyError", value: "'own'" });
      });
    });

    test("without a descriptor left, a cell still prints and displays, and the error names what is missing", async () => {
      const exhaust = [
        "import os, resource, threading",
        "limits = resource.getrlimit(resource.RLIMIT_NOFILE)",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))",
        "held = []",
        "try:",
        "  while True: held.append(os.open('/dev/null', os.O_RDONLY))",
        "except OSError: pass",
        "for show in (print, display):",
        "  thread = threading.Thread(target=show, args=(show.__name__,)); thread.start(); thread.join()",
      ].join("\n");
      const free = "for each in held: os.close(each)\nresource.setrlimit(resource.RLIMIT_NOFILE, limits)";
      const { output } = await python.run(exhaust);
      expect(output).toBe("print\n'display'");
      const failed = await python.run("import sys; sys.tracebacklimit = 1\nopen('/dev/null')");
      expect([failed.isError, failed.details.kernelRestarted]).toEqual([true, undefined]);
      expect(failed.output).toContain("Too many open files");
      expect((await python.run(free, "del sys.tracebacklimit")).isError).toBe(false);
    });

    describe("what a front end would show elsewhere", () => {
      test.each([
        ["%prun", "%prun sum(range(10))", "function calls"],
        ["name?", "def documented():\n  'All about it.'\ndocumented?", "All about it."],
        ["name??", "def documented():\n  return 'the source'\ndocumented??", "return 'the source'"],
        ["%pdoc", "%pdoc len", "number of items"],
        ["%psource", "import textwrap\n%psource textwrap.dedent", "def dedent"],
      ])("is output: %s", async (_name, code, expected) => {
        const result = await python.run(code, "print('after')");
        expect(result.isError).toBe(false);
        expect(result.output).toContain(expected);
        expect(result.output).toEndWith("[2/2]\nafter");
      });

      test("comes after what the cell prints, on lines of its own", async () => {
        const { output } = await python.run(
          "from IPython.core import page\npage.page('in the pager')\nprint('printed', end='')",
        );
        expect(output).toBe("printed\nin the pager");
      });

      test("is code for the next cell, and says that it was not run", async () => {
        writeFileSync(join(python.project, "part.py"), "loaded = 1\n");
        const { output } = await python.run("%load part.py");
        expect(output).toBe("[for the next cell, not run]\n# %load part.py\nloaded = 1");
        expect((await python.run("'loaded' in globals()")).output).toBe("False");
      });
    });

    describe("exit", () => {
      test.each(["exit", "exit()", "quit", "quit()"])(
        "tells the loss of state in its own call, as often as it is used, and costs no later one: %s",
        async (code) => {
          await python.run("x = 1");
          const result = await python.run(`print('bye')`, code, "x = 2");
          expect(result.output.split("\n")).toEqual([
            "[1/3]",
            "bye",
            "[2/3]",
            "[cell 2 of 3 ended with the kernel; the cell after it did not run]",
            `[The kernel was ended by its own code: exit() or quit(). ${GONE}]`,
          ]);
          expect(result.details.kernelRestarted).toBe(true);
          const next = await python.run("'x' in globals()");
          expect(next).toMatchObject({ isError: false, output: "False" });
          expect(next.details.kernelRestarted).toBeUndefined();
        },
      );

      test("that is to keep the kernel keeps it", async () => {
        await python.run("x = 1");
        expect(await python.run("exit(keep_kernel=True)")).toMatchObject({ isError: false });
        expect((await python.run("x")).output).toBe("1");
      });
    });

    test("what a task prints belongs to the call that waits for it", async () => {
      const work = "async def work():\n  await gate.wait()\n  print('worked')\n  return 7";
      await python.run(
        `import asyncio\ngate = asyncio.Event()\n${work}\ntask = asyncio.ensure_future(work())`,
      );
      const { output } = await python.run("print('waiting')\ngate.set()\nawait task");
      expect(output).toBe("waiting\nworked\n7");
    });
  });
}

describeWithPython(
  testPython,
  "an error inside an Output widget",
  () => {
    test("is what the widget shows, and the next cells run", async () => {
      const python = await pythonSession({ python: testPython });
      const shows = "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n  1 / 0\nout";
      const result = await python.run(shows, "print('went on')");
      expect(result.isError).toBe(false);
      expect(result.output.match(/ZeroDivisionError: division by zero/g)).toHaveLength(1);
      expect(result.output).toEndWith("[2/2]\nwent on");
    });
  },
  ["ipywidgets"],
);
