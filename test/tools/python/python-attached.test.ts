/** A console that is attached to omp's own kernel: its code is the user's, and no call of the model interrupts it. */

import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JupyterKernel } from "../../../src/kernel/jupyter/jupyter-kernel.ts";
import { describeWithPython, pythonsUnderTest } from "../../support/python.ts";
import { SecondClient } from "../../support/second-client.ts";
import { until } from "../../support/until.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

const BUSY =
  "[Nothing was run: other code runs in the kernel, of another client or of a cell that did not stop, and was left alone. Try again later, or ask the user.]";

for (const version of pythonsUnderTest) {
  describeWithPython(version, `omp's own kernel with a console, ${version.name}`, () => {
    let python: PythonSession;
    beforeAll(async () => {
      python = await pythonSession({ python: version, lasts: "file" });
      await python.run("mine = 1");
    });

    const attach = () => {
      const ip = python.pool.sessions[0]?.kernel?.connectionInfo?.ip ?? "";
      return SecondClient.connect(join(dirname(ip), "kernel.json"));
    };
    const gated = (name: string) =>
      `import pathlib, time\nwhile not pathlib.Path('${name}').exists(): time.sleep(0.01)\nprint('whole')`;
    /** Begun, and omp's kernel has heard of it: what it sends before that is queued instead. */
    const beginGated = async (console: SecondClient, name: string) => {
      await console.begin(gated(name));
      const kernel = python.pool.sessions[0]?.kernel as JupyterKernel;
      await until("the kernel has heard of the console's code", () => kernel["client"].hasOtherCode);
    };
    const letGo = (name: string) => writeFileSync(join(python.project, name), "");
    const timed = (code: string) => python.call({ cells: [{ code }], timeout: 1 });

    test("a call that only waited for the console's code has run nothing, and left it alone", async () => {
      const console = await attach();
      await beginGated(console, "first");
      expect(await timed("mine = 2")).toMatchObject({
        isError: true,
        output: `Command timed out after 1 seconds\n${BUSY}`,
        details: { timedOut: true, cells: [{ status: "not run" }] },
      });
      letGo("first");
      expect(await console.end()).toEqual({ stdout: "whole\n", value: null, error: null });
      expect((await python.run("mine")).output).toBe("1");
    });

    test("code of the console that follows a cell is not hit by the end of that cell", async () => {
      const console = await attach();
      const shown = Promise.withResolvers<void>();
      const running = python.call(
        { cells: [{ code: "print('begun', flush=True)\nwhile True: pass" }], timeout: 2 },
        { onUpdate: () => shown.resolve() },
      );
      await shown.promise;
      const begun = beginGated(console, "second");
      expect(cellsOf(await running)).toMatchObject([{ status: "interrupted" }]);
      await begun;
      expect((await timed("mine")).output).toEndWith(BUSY);
      letGo("second");
      expect(await console.end()).toEqual({ stdout: "whole\n", value: null, error: null });
      expect((await python.run("mine")).output).toBe("1");
    });

    test("input() asks the console, and explains itself in a cell", async () => {
      const console = await attach();
      await console.begin("print('hello', input('name? '))");
      expect(await console.type("Ann")).toBe("name? ");
      expect(await console.end()).toEqual({ stdout: "hello Ann\n", value: null, error: null });
      const cell = await python.run("input('name? ')");
      expect(cell).toMatchObject({ isError: true, details: { stdinRequested: true } });
    });
  });
}
