import { beforeAll, describe, expect, test } from "bun:test";
import { describeWithPython, testPython } from "../../support/python.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

describeWithPython(testPython, "the limits of the python tool", () => {
  let python: PythonSession;
  beforeAll(async () => {
    python = await pythonSession({ python: testPython, lasts: "file" });
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
      expect(result.output).toContain("\npython: cancelled (CANCELLED)\n[cell 1 of 2 was interrupted; ");
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
        expect(result.output).toContain("python: cancelled (CANCELLED)");
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
        timeout: 3,
      });
      expect(result.isError).toBe(true);
      expect(result.output).toStartWith("begun\n");
      expect(result.output.split("\n")).toContain("Command timed out after 3 seconds");
      expect(result.details).toMatchObject({ timedOut: true, cancelled: true });
      expect((await python.run("kept")).output).toBe("'yes'");
    });

    test("is for the whole call", async () => {
      const cell = { code: "import time\ntime.sleep(1)" };
      const result = await python.call({ cells: Array(8).fill(cell), timeout: 3 });
      expect(result.details).toMatchObject({ timedOut: true });
      const statuses = cellsOf(result).map(({ status }) => status);
      expect(statuses[0]).toBe("ok");
      expect(statuses.at(-1)).toBe("not run");
    });

    test("out of range is clamped, and the result says so", async () => {
      // Whoever runs into it need not be quick.
      const low = await python.call({ cells: [{ code: "while True: pass" }], timeout: 0 });
      expect(low.output).toMatch(
        /KeyboardInterrupt[\s\S]*\nCommand timed out after 1 seconds\n\[timeout 0 is outside 1 to 600 seconds; 1 was used\]$/,
      );
      const high = await python.call({ cells: [{ code: "1" }], timeout: 1e9 });
      expect(high.output).toBe("1\n[timeout 1000000000 is outside 1 to 600 seconds; 600 was used]");
      const fine = await python.call({ cells: [{ code: "1" }], timeout: 600 });
      expect(fine.output).toBe("1");
    });

    test("that comes after the last cell changes nothing", async () => {
      const result = await python.call({ cells: [{ code: "'in time'" }], timeout: 60 });
      expect(result).toMatchObject({ isError: false, output: "'in time'" });
    });
  });

  describe("long output", () => {
    test("is cut to its end, with an artifact that has everything", async () => {
      const result = await python.run("for i in range(5000): print('line', i)");
      expect(result.isError).toBe(false);
      const lines = result.output.split("\n");
      expect(lines.at(-1)).toContain(`artifact://${result.details.artifact}`);
      expect(lines.at(-2)).toBe("line 4999");
      expect(lines.length).toBeLessThanOrEqual(2001);
      expect(result.output.length).toBeLessThan(31_000);
      expect(result.details).toMatchObject({ truncated: true, totalLines: 5000 });
      const whole = python.artifact(result.details.artifact);
      expect(whole).toBe(Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join(""));
    });

    test("in one line is cut, too", async () => {
      const result = await python.run("print('x' * 1_000_000 + 'end')");
      expect(result.output.length).toBeLessThan(31_000);
      expect(result.output.slice(-200)).toMatch(/xxxend\n\[output cut: .*\]$/);
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
});
