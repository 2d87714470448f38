/** A shared gateway that somebody stopped (SIGSTOP), as the user of an omp meets it. */

import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonLines } from "../../src/kernel/json-lines.ts";
import { temporaryPlace } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { isRunning, stop } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

slowFile(60, "a Jupyter server takes seconds to start, and so do its kernels");

const running: Bun.Subprocess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

/** An omp with a session that goes on from call to call. */
function session() {
  const place = temporaryPlace();
  const agent = join(place.home, ".omp/agent");
  mkdirSync(agent, { recursive: true, mode: 0o700 });
  const python = { sharedGateway: true, interpreter: testPython.path, startTimeout: 60 };
  writeFileSync(join(agent, "omp.jsonc"), JSON.stringify({ python }));
  const child = Bun.spawn([launcher, "tool", "--batch"], {
    cwd: place.project,
    env: userEnvironment(place),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  running.push(child);
  const lines = jsonLines(child.stdout)[Symbol.asyncIterator]();
  return {
    place,
    gatewayPid: async () => {
      const { stdout } = await omp(["gateway", "status", "--json"], { place });
      return JSON.parse(stdout).pid as number;
    },
    call: async (code: string, input: { readonly reset?: boolean } = {}) => {
      const cells = { cells: [{ code }], timeout: 300, ...input };
      child.stdin.write(`${JSON.stringify({ id: 1, name: "python", input: cells })}\n`);
      await child.stdin.flush();
      return (await lines.next()).value as { output: string; is_error: boolean };
    },
    end: async () => {
      await child.stdin.end();
      await child.exited;
      expect((await omp(["gateway", "stop"], { place })).exitCode).toBe(0);
    },
  };
}

describeWithPython(
  testPython,
  "a shared gateway that is stopped",
  () => {
    test("between two calls or in the middle of one goes on, and nothing is lost", async () => {
      const { place, call, gatewayPid, end } = session();
      expect(await call("kept = 41")).toMatchObject({ is_error: false });
      const gateway = await gatewayPid();
      await stop(gateway);
      expect(await call("kept += 1; print(kept)")).toMatchObject({ output: "42", is_error: false });
      const counted = call(
        "import time\nopen('begun', 'w').close()\nfor i in range(8): print(i); time.sleep(0.1)",
      );
      await until("the cell runs", () => existsSync(join(place.project, "begun")));
      await stop(gateway);
      expect(await counted).toMatchObject({ output: "0\n1\n2\n3\n4\n5\n6\n7", is_error: false });
      await end();
    });

    test("before a new kernel is needed gives that kernel all the same", async () => {
      const { call, gatewayPid, end } = session();
      expect(await call("kept = 41")).toMatchObject({ is_error: false });
      const gateway = await gatewayPid();
      await stop(gateway);
      const { output, is_error } = await call("print('kept' in globals())", { reset: true });
      expect({ output, is_error }).toEqual({ output: "False", is_error: false });
      expect(await gatewayPid()).toBe(gateway);
      await end();
    });
  },
  ["jupyter-kernel-gateway"],
);

describeWithPython(
  testPython,
  "a shared gateway that is killed",
  () => {
    test("between two calls is replaced: the next call says what is lost, and runs", async () => {
      const { call, gatewayPid, end } = session();
      expect(await call("kept = 41")).toMatchObject({ is_error: false });
      const gateway = await gatewayPid();
      process.kill(gateway, "SIGKILL");
      await until("it is gone", () => !isRunning(gateway));
      const { output, is_error } = await call("print('kept' in globals())");
      expect(is_error).toBe(false);
      expect(output).toMatch(
        /^\[The kernel died between two calls: its gateway ended\. A new one was started: all variables, imports and other state are gone\.\]\nFalse$/,
      );
      expect(await gatewayPid()).not.toBe(gateway);
      await end();
    });
  },
  ["jupyter-kernel-gateway"],
);
