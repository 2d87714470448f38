/** A real kernel that is not ipykernel, by its kernelspec: xeus-python, over both transports. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { runningKernels } from "../../../src/kernel/local/running-kernels.ts";
import { attempt } from "../../../src/protocol/index.ts";
import { isLaunch, kernelSpecLaunch } from "../../../src/python/kernel-specs.ts";
import { readEnvironment } from "../../../src/python/managed-environment.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { localKernels, runCell } from "../../support/kernels.ts";
import { checkout } from "../../support/omp.ts";

const venv = join(checkout, ".venv-xeus");
const python = join(venv, "bin", "python");

function argvOf(kernelSpec: string): readonly string[] {
  const place = { env: {}, cwd: checkout, home: temporaryDirectory({ lasts: "file" }) };
  const launch = kernelSpecLaunch(kernelSpec, {
    ...place,
    interpreter: { path: python, source: ".venv", venv },
    systemDirectories: [],
  });
  if (!isLaunch(launch) || launch.argv === undefined) throw new Error("no command of its own");
  return launch.argv;
}

/** Short names in /tmp that lead to a directory below this one. */
function namesOf(base: string): string[] {
  const names = readdirSync("/tmp").filter((name) => /^omp-[0-9a-f]{8}$/.test(name));
  return names.filter((name) => attempt(() => readlinkSync(join("/tmp", name)))?.startsWith(base));
}

// Where there is no wheel for the platform, the set-up has said so.
if (readEnvironment(venv) !== undefined)
  describe.each(["ipc", "tcp"] as const)("xeus-python over %s", (transport) => {
    let kernel: Kernel;
    let base: string;
    beforeAll(async () => {
      const options = { python, argv: argvOf("xpython"), transport };
      const made = localKernels(options, { lasts: "file" });
      base = made.base;
      kernel = await made.kernels.start({ cwd: made.home, env: { OMP_TEST: "set" } });
    });
    afterAll(() => kernel?.shutdown());
    const run = (code: string) => runCell(kernel, code);

    test("starts, and says what omp does without in it", () => {
      expect(kernel.facts).toMatchObject({
        executable: python,
        ipykernelVersion: "unknown",
        failedModules: [],
      });
      expect(kernel.facts.bootProblems).toEqual([
        "fast output, and without what child processes print: it is not ipykernel",
      ]);
    });

    test("runs cells with their state, their output and their errors", async () => {
      await run("x = 20");
      expect(await run("print('printed')\nx + 1")).toMatchObject({ stdout: "printed\n", value: "21" });
      const failed = await run("import sys\nprint('problem', file=sys.stderr)\n1 / 0");
      expect(failed).toMatchObject({ stderr: "problem\n", evalue: "division by zero" });
      expect((await run("display('shown')")).outputs).toEqual(["display_data"]);
      expect((await run("import os\nos.environ['OMP_TEST'], bash('echo hi', show=False).text")).value).toBe(
        "('set', 'hi\\n')",
      );
    });

    test("is interrupted, and keeps its state", async () => {
      const abort = new AbortController();
      const errors = [];
      for await (const { header, content } of kernel.execute("print('begun')\nwhile True: pass", {
        signal: abort.signal,
      })) {
        if (header.msg_type === "stream") abort.abort();
        if (header.msg_type === "error") errors.push(String(content["ename"]));
      }
      expect(errors).toEqual([expect.stringContaining("KeyboardInterrupt")]);
      expect((await run("x")).value).toBe("20");
    });

    test("has a connection file that other clients can use, and leaves no name behind", () => {
      const [found] = runningKernels([base]);
      const file = JSON.parse(readFileSync(found?.connectionFile ?? "", "utf8"));
      expect(file).toMatchObject({ transport, ip: kernel.connectionInfo?.ip });
      expect(namesOf(base)).toEqual([]);
    });
  });
