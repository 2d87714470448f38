import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestPlace, temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { omp } from "../support/omp.ts";
import { nothingLeft, processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

slowFile(60, "a Jupyter server and 20 kernels start");

const OMPS = 20;

function sharedPlace(interpreter = testPython.path): TestPlace {
  const place = temporaryPlace();
  const agent = join(place.home, ".omp/agent");
  mkdirSync(agent, { recursive: true });
  const python = { sharedGateway: true, interpreter, startTimeout: 120 };
  writeFileSync(join(agent, "omp.jsonc"), JSON.stringify({ python }));
  return place;
}

describeWithPython(
  testPython,
  "python.sharedGateway",
  () => {
    test("20 omp that start at the same moment work in kernels of one gateway, and omp gateway stop leaves nothing", async () => {
      const place = sharedPlace();
      const run = async (number: number) => {
        const code = `import os; print(${number} * 2, os.getppid(), os.getcwd())`;
        return await omp(["tool", "python", JSON.stringify({ cells: [{ code }], timeout: 300 })], { place });
      };
      const runs = await Promise.all(Array.from({ length: OMPS }, (_, number) => run(number)));
      const status = await omp(["gateway", "status", "--json"], { place });
      const { pid } = JSON.parse(status.stdout);
      expect(runs).toEqual(
        runs.map((_, number) => ({
          exitCode: 0,
          stdout: `${number * 2} ${pid} ${place.project}\n`,
          stderr: "",
        })),
      );
      expect(JSON.parse(status.stdout)).toMatchObject({ running: true, users: [], kernels: [] });
      // What has ended takes a moment to go.
      const left = await until("only one process is left", () => {
        const all = processesWith(`HOME=${place.home}`);
        return all.length <= 1 ? all : undefined;
      });
      expect(left).toEqual([pid]);
      expect(await omp(["gateway", "stop"], { place })).toEqual({
        exitCode: 0,
        stdout: `Stopped the shared gateway (pid ${pid}).\n`,
        stderr: "",
      });
      await nothingLeft(place);
      expect(readdirSync(join(place.home, ".omp/agent"))).not.toContain("python-gateway");
    }, 300_000);

    test("what one omp passes to its kernels does not reach those of another", async () => {
      const place = sharedPlace();
      const file = join(place.home, ".omp/agent/omp.jsonc");
      const settings = JSON.parse(readFileSync(file, "utf8"));
      const seen = async (pass: readonly string[]) => {
        writeFileSync(file, JSON.stringify({ ...settings, environment: { pass } }));
        const code = "import os; print(os.environ.get('LAB_SECRET'))";
        const run = { place, env: { LAB_SECRET: "for this one" } };
        return (await omp(["tool", "python", JSON.stringify({ cells: [{ code }] })], run)).stdout;
      };
      expect([await seen(["LAB_SECRET"]), await seen([])]).toEqual(["for this one\n", "None\n"]);
      expect((await omp(["gateway", "stop"], { place })).exitCode).toBe(0);
    });

    test("a gateway that may not open what a kernel needs is one line at once, and no wait", async () => {
      const python = join(temporaryDirectory(), "python");
      writeFileSync(python, `#!/bin/sh\nulimit -n 60\nexec '${testPython.path}' "$@"\n`, { mode: 0o755 });
      const place = sharedPlace(python);
      const input = JSON.stringify({ cells: [{ code: "1" }] });
      expect(await omp(["tool", "python", input], { place })).toEqual({
        exitCode: 1,
        stdout:
          "python: the shared gateway may open only 60 files, and a kernel needs 80; raise the limit (ulimit -n) (EMFILE)\n",
        stderr: "",
      });
      expect((await omp(["gateway", "stop"], { place })).exitCode).toBe(0);
    });
  },
  ["jupyter-kernel-gateway"],
);
