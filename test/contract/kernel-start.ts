/** The contract: how a kernel comes up. */

import { describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { innerPid } from "../../src/process/started.ts";
import { runCell } from "../support/kernels.ts";
import type { SharedKernel } from "./kernel-contract.ts";

export function startContract(kernel: SharedKernel): void {
  describe("a started kernel", () => {
    test("is ready, and says what it is", async () => {
      expect(kernel.kernel.state).toBe("ready");
      const { stdout } = await kernel.run(
        "import os, sys, ipykernel; print(os.getpid(), sys.executable, '.'.join(map(str, sys.version_info[:3])), ipykernel.__version__)",
      );
      const { pid, executable, pythonVersion, ipykernelVersion, failedModules, bootProblems } =
        kernel.kernel.facts;
      // In a sandbox it calls itself by another number.
      expect(stdout).toBe(`${innerPid(pid) ?? pid} ${executable} ${pythonVersion} ${ipykernelVersion}\n`);
      expect(failedModules).toEqual([]);
      expect(bootProblems).toEqual([]);
    });

    test("begins to count at 1, with a namespace that holds nothing of its start-up", async () => {
      await using own = await kernel.another();
      const { reply, value } = await own.run(
        "[name for name in dir() if not name.startswith('_') and name not in ('In', 'Out', 'exit', 'quit', 'open', 'get_ipython')]",
      );
      expect(reply["execution_count"]).toBe(1);
      const ready = ["omp", ...own.kernel.facts.helpers.map(({ name }) => name)];
      expect(JSON.parse((value ?? "").replaceAll("'", '"')).sort()).toEqual(ready.sort());
      expect((await own.run("_, __, ___, len(In)")).value).toEndWith("3)");
    });

    test("has the directory, the variables and the module path that were asked for", async () => {
      const cwd = realpathSync(mkdtempSync(join(kernel.cwd, "wörk ing-")));
      writeFileSync(join(cwd, "beside_us.py"), "value = 'found'\n");
      const env = { OMP_TEST_A: "with 'quotes' and \\ and\nnewline", OMP_TEST_B: "\u{1f40d}", EMPTY: "" };
      const other = await kernel.host.start({ cwd, env });
      try {
        const { stdout } = await runCell(
          other,
          [
            "import json, os, sys, beside_us",
            "print(json.dumps([os.getcwd(), os.environ['OMP_TEST_A'], os.environ['OMP_TEST_B'], os.environ['EMPTY'],",
            "  sys.path[0] in ('', os.getcwd()), beside_us.value]))",
          ].join("\n"),
        );
        expect(JSON.parse(stdout)).toEqual([cwd, env.OMP_TEST_A, env.OMP_TEST_B, "", true, "found"]);
      } finally {
        await other.shutdown();
      }
    });

    test("is not started for a signal that was aborted before", async () => {
      const signal = AbortSignal.abort(new Error("never mind"));
      const start = kernel.host.start({ cwd: kernel.cwd, signal });
      await expect(start).rejects.toThrow("never mind");
    });

    test("two kernels side by side do not mix", async () => {
      const first = kernel;
      await using second = await kernel.another();
      expect(first.kernel.id).not.toBe(second.kernel.id);
      await first.run("name = 'first'");
      await second.run("name = 'second'");
      const code = "for i in range(300): print(name, i, flush=True)\nname";
      const [one, two] = await Promise.all([first.run(code), second.run(code)]);
      const lines = (name: string) =>
        Array.from({ length: 300 }, (_, index) => `${name} ${index}\n`).join("");
      expect([one.stdout, one.value]).toEqual([lines("first"), "'first'"]);
      expect([two.stdout, two.value]).toEqual([lines("second"), "'second'"]);
    });
  });
}
