import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelEnvironment, localKernels, runCell } from "../../support/kernels.ts";
import { stop } from "../../support/processes.ts";
import { describeWithPython, pythonsUnderTest } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { filesLeft, processesLeft } from "./left-behind.ts";

for (const python of pythonsUnderTest) {
  describeWithPython(python, `the fork server, ${python.name}`, () => {
    async function warm(options: Parameters<typeof localKernels>[0] = {}) {
      const lines: string[] = [];
      const left = localKernels({
        python: python.path,
        useForkServer: true,
        trace: (line) => lines.push(line),
        ...options,
      });
      await left.kernels.warmUp();
      const server = processesLeft(left)[0] ?? 0;
      const start = () => left.kernels.start({ cwd: left.home });
      const run = async (kernel: Kernel, code: string) => {
        const { value, stdout } = await runCell(kernel, code);
        return value ?? stdout;
      };
      return { ...left, lines, server, start, run };
    }

    test("makes kernels that know nothing of each other", async () => {
      const { start, run, server } = await warm();
      const handles = await Promise.all([start(), start(), start()]);
      const parents = await Promise.all(handles.map((kernel) => run(kernel, "import os; os.getppid()")));
      expect(parents).toEqual(handles.map(() => String(server)));
      await Promise.all(handles.map((kernel, index) => run(kernel, `name = ${index}; import random`)));
      expect(await Promise.all(handles.map((kernel) => run(kernel, "name")))).toEqual(["0", "1", "2"]);
      const draws = await Promise.all(handles.map((kernel) => run(kernel, "random.random()")));
      expect(new Set(draws).size).toBe(3);
      const groups = await Promise.all(
        handles.map((kernel) => run(kernel, "os.getpgrp() == os.getsid(0) == os.getpid()")),
      );
      expect(groups).toEqual(["True", "True", "True"]);
      const keys = new Set(handles.map(({ connectionInfo }) => connectionInfo?.key));
      expect(keys.size).toBe(3);
    });

    test("gives its kernels their own environment, directory and output", async () => {
      const { start, run, home } = await warm();
      const kernel = await start();
      const environment = await run(kernel, "import json, os; print(json.dumps(dict(os.environ)))");
      expect(JSON.parse(environment)).toMatchObject(kernelEnvironment(home));
      expect(await run(kernel, "os.getcwd()")).toBe(`'${home}'`);
      expect(await run(kernel, "import sys; sys.executable")).toBe(`'${python.path}'`);
      expect(await run(kernel, "import subprocess; _ = subprocess.run(['echo', 'child'])")).toBe("child\n");
    });

    test("one kernel's end is not another's", async () => {
      const { start, run } = await warm();
      const [first, second, third] = await Promise.all([start(), start(), start()]);
      if (!first || !second || !third) throw new Error("no kernels");
      process.kill(first.facts.pid, "SIGKILL");
      expect(await first.exited).toMatchObject({ reason: "killed by SIGKILL", expected: false });
      await expect(run(second, "import os; os._exit(7)")).rejects.toThrow("exited with code 7");
      expect(await run(third, "'alive'")).toBe("'alive'");
      await third.shutdown();
      expect((await third.exited).expected).toBe(true);
    });

    test("its death takes its kernels with it; the next kernel is a plain one, and the one after is forked again", async () => {
      const { start, run, kernels, server, lines, ...left } = await warm();
      const kernel = await start();
      process.kill(server, "SIGKILL");
      expect(await kernel.exited).toMatchObject({ reason: "its fork server ended", expected: false });
      await until("they are gone", () => processesLeft(left).length === 0);
      const plain = await start();
      expect(await run(plain, "import os; os.getppid()")).toBe(String(process.pid));
      await kernels.warmUp();
      const forked = await start();
      expect(await run(forked, "import os; os.getppid()")).not.toBe(String(process.pid));
      expect(await run(plain, "'alive'")).toBe("'alive'");
    });

    test("that dies while it is asked makes way for a plain start, and the trace says so", async () => {
      const { start, run, server, lines } = await warm();
      await stop(server);
      const starting = start();
      process.kill(server, "SIGKILL");
      const kernel = await starting;
      expect(await run(kernel, "import os; os.getppid()")).toBe(String(process.pid));
      expect(lines.filter((line) => line.includes("starting a plain kernel"))).toHaveLength(1);
    });

    test("that is stuck makes way for a plain start, too, and is ended", async () => {
      const { start, run, server, lines, ...left } = await warm();
      await stop(server);
      const kernel = await start();
      expect(await run(kernel, "import os; os.getppid()")).toBe(String(process.pid));
      expect(lines.filter((line) => line.includes("starting a plain kernel"))).toHaveLength(1);
      await until("the server is gone", () => !processesLeft(left).includes(server));
    });

    test("that cannot be made leaves plain kernels", async () => {
      const home = temporaryDirectory();
      writeFileSync(
        join(home, "sitecustomize.py"),
        "import os, sys\nif sys.orig_argv[1] == '-c': sys.exit('no servers here')\n",
      );
      const { start, run, lines } = await warm({ env: { ...kernelEnvironment(home), PYTHONPATH: home } });
      expect(lines.join("\n")).toContain("no servers here");
      expect(await run(await start(), "'fine'")).toBe("'fine'");
    });

    test("does not mind what other code prints while it starts", async () => {
      const home = temporaryDirectory();
      writeFileSync(
        join(home, "sitecustomize.py"),
        "print('welcome')\nprint('{')\nprint('null')\nprint('7', flush=True)\n",
      );
      const { start, run } = await warm({ env: { ...kernelEnvironment(home), PYTHONPATH: home } });
      const kernel = await start();
      expect(await run(kernel, "import os; os.getppid()")).not.toBe(String(process.pid));
      expect(await run(kernel, "print('only this')")).toBe("only this\n");
    });

    test("is asked for by itself once the first kernel runs, unless the setting says no", async () => {
      const { kernels, home, base } = localKernels({ python: python.path, useForkServer: true });
      await kernels.start({ cwd: home });
      await until("there are two processes", () => processesLeft({ home }).length === 2);
      await kernels.close();
      expect(filesLeft(base)).toEqual([]);
      const without = localKernels({ python: python.path, useForkServer: false });
      await without.kernels.warmUp();
      expect(processesLeft(without)).toEqual([]);
    });
  });
}
