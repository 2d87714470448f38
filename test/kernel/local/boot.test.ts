import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalKernelsOptions } from "../../../src/kernel/local/local-kernels.ts";
import type { ExtensionModule } from "../../../src/kernel/python/extension-modules.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { localKernels, runCell } from "../../support/kernels.ts";
import { describeWithPython, pythonsUnderTest } from "../../support/python.ts";

function moduleFile(name: string, source: string): ExtensionModule {
  const path = join(temporaryDirectory(), `${name}.py`);
  writeFileSync(path, source);
  return { name, path };
}

async function kernelWith(
  python: string,
  modules: readonly ExtensionModule[],
  limits: Pick<Partial<LocalKernelsOptions>, "startTimeoutMs"> = {},
) {
  const { kernels, home } = localKernels({ python, extensionModules: () => modules, ...limits });
  const kernel = await kernels.start({ cwd: home });
  return { kernel, run: (code: string) => runCell(kernel, code) };
}

for (const python of pythonsUnderTest) {
  describeWithPython(python, `start-up inside the kernel, ${python.name}`, () => {
    test("says what the kernel is", async () => {
      const { kernel } = await kernelWith(python.path, []);
      const { pythonVersion, executable, ipykernelVersion, pid, failedModules, bootProblems } = kernel.facts;
      expect({ executable, failedModules, bootProblems }).toEqual({
        executable: python.path,
        failedModules: [],
        bootProblems: [],
      });
      expect(pythonVersion).toMatch(/^3\.\d+\.\d+/);
      expect(ipykernelVersion).toStartWith(`${python.ipykernel}.`);
      expect(pid).toBeGreaterThan(1);
    });

    test("loads modules in their order, later ones winning, and skips those that fail, each with its reason", async () => {
      const modules = [
        moduleFile(
          "user",
          "def greet(): return 'user'\ndef only_user(): return greet()\n_private = 1\nimport os\n",
        ),
        moduleFile("broken", "half = 1\nraise RuntimeError('no\\nluck')\n"),
        moduleFile("typo", "def (:\n"),
        moduleFile("exits", "import sys\nsys.exit('leaving')\n"),
        { name: "missing", path: join(temporaryDirectory(), "missing.py") },
        moduleFile("project", "def greet(): return 'project'\nprint('loading')\n"),
      ];
      const { kernel, run } = await kernelWith(python.path, modules);
      expect(kernel.takeLateOutput()).toBe("loading\n");
      expect(kernel.facts.failedModules.map(({ name }) => name)).toEqual([
        "broken",
        "typo",
        "exits",
        "missing",
      ]);
      const errors = kernel.facts.failedModules.map(({ error }) => error);
      expect(errors[0]).toContain("RuntimeError: no");
      expect(errors[1]).toContain("SyntaxError");
      expect(errors[2]).toContain("SystemExit: leaving");
      expect(errors[3]).toContain("FileNotFoundError");
      expect((await run("greet(), only_user()")).value).toBe("('project', 'user')");
      expect((await run("'half' in dir(), '_private' in dir(), 'os' in dir()")).value).toBe(
        "(False, False, False)",
      );
    });

    test("interrupts a module that hangs, and names it; the rest is there", async () => {
      const modules = [
        moduleFile("waiting", "print('so far')\nimport time\ntime.sleep(1000)\n"),
        moduleFile("after", "def greet(): return 'here'\n"),
      ];
      const { kernel, run } = await kernelWith(python.path, modules, { startTimeoutMs: 8_000 });
      expect(kernel.facts.failedModules).toEqual([
        { name: "waiting", error: "it did not end in 2 seconds, and was interrupted" },
      ]);
      expect(kernel.takeLateOutput()).toBe("so far\n");
      expect((await run("greet()")).value).toBe("'here'");
    });

    test("keeps what it gave through %reset", async () => {
      const { run } = await kernelWith(python.path, [moduleFile("user", "def greet(): return 'hello'\n")]);
      await run("mine = 1");
      await run("%reset -f");
      expect((await run("greet(), 'mine' in dir()")).value).toBe("('hello', False)");
    });
  });
}
