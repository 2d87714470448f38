import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SharedGateway } from "../../src/kernel/gateway/shared/shared-gateway.ts";
import { gatewayPlace, gatewayProcesses, untilGone } from "../kernel/gateway/shared/gateway-place.ts";
import { startKernel } from "../kernel/gateway/shared/kernel-client.ts";
import { omp } from "../support/omp.ts";
import { isRunning } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const nothing = { exitCode: 0, stdout: "The shared gateway is not running.\n", stderr: "" };

/** A home whose shared gateway tests start, and `omp` sees. */
function ompPlace() {
  const { home } = gatewayPlace();
  const directory = join(home, ".omp/agent/python-gateway");
  const place = gatewayPlace({ directory });
  const run = async (...args: string[]) =>
    await omp(["gateway", ...args], { place: { home, project: home } });
  return { place, directory, run };
}

test("without a gateway nothing is running, nothing is stopped, and nothing is made", async () => {
  const { directory, run } = ompPlace();
  expect(await run("status")).toEqual(nothing);
  expect(await run("status", "--json")).toEqual({ ...nothing, stdout: '{\n  "running": false\n}\n' });
  expect(await run("stop")).toEqual(nothing);
  const stopped = { outcome: "not-running", pid: null, users: [] };
  expect(await run("stop", "--json")).toEqual({
    ...nothing,
    stdout: `${JSON.stringify(stopped, undefined, 2)}\n`,
  });
  expect(existsSync(directory)).toBe(false);
});

test("a home that cannot be read is told in one line", async () => {
  const { directory, run } = ompPlace();
  mkdirSync(dirname(directory), { recursive: true });
  writeFileSync(directory, "a file where a directory should be");
  const stderr = `gateway: cannot read ${join(directory, "gateway.json")} (ENOTDIR)\n`;
  expect(await run("status")).toEqual({ exitCode: 1, stdout: "", stderr });
});

describeWithPython(
  testPython,
  "omp gateway",
  () => {
    test("status tells who uses the gateway and what runs in it, without its token", async () => {
      const { place, run } = ompPlace();
      const lease = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);

      const { stdout } = await run("status");
      expect(stdout.replace(/\d+ seconds?/g, "<time>").split("\n")).toEqual([
        `gateway  ${lease.url}, pid ${lease.pid}`,
        `python   ${testPython.path}`,
        "up       <time>",
        "users    1",
        `         pid ${process.pid}, for <time>, 1 kernel`,
        "kernels  1",
        expect.stringMatching(new RegExp(`^         ${kernel.slice(0, 8)}  python3  (starting|idle)$`)),
        "",
      ]);

      const json = await run("status", "--json");
      expect(json.stdout).not.toContain(lease.token);
      expect(JSON.parse(json.stdout)).toEqual({
        running: true,
        healthy: true,
        problem: null,
        pid: lease.pid,
        host: expect.any(String),
        elsewhere: false,
        url: lease.url,
        python: testPython.path,
        started_at: expect.stringMatching(/^20\d\d-/),
        uptime_seconds: expect.any(Number),
        users: [{ pid: process.pid, since: expect.stringMatching(/^20\d\d-/), kernels: [kernel] }],
        kernels: [
          {
            id: kernel,
            name: "python3",
            state: expect.stringMatching(/^(starting|idle)$/),
            last_activity: expect.any(String),
          },
        ],
      });
      lease.release();
      await untilGone(place);
    });

    test("stop is refused while somebody uses the gateway, and with --force ends it and its kernels", async () => {
      const { place, run } = ompPlace();
      const lease = await new SharedGateway(place.options).acquire();
      lease.ownKernels([await startKernel(lease)]);
      expect(await run("stop")).toEqual({
        exitCode: 1,
        stdout: "",
        stderr:
          `gateway: omp (pid ${process.pid}) is still using the shared gateway (pid ${lease.pid}); ` +
          "quit that first, or stop the gateway and its kernels: omp gateway stop --force (IN_USE)\n",
      });
      expect(isRunning(lease.pid)).toBe(true);
      expect(await run("stop", "--force")).toEqual({
        exitCode: 0,
        stdout: `Stopped the shared gateway (pid ${lease.pid}). It was in use by omp (pid ${process.pid}).\n`,
        stderr: "",
      });
      expect(gatewayProcesses(place)).toEqual([]);
      expect(await run("status")).toEqual(nothing);
      lease.release();
    });

    test("stop --json tells what became of the gateway, and from whom it was taken", async () => {
      const { place, run } = ompPlace();
      const lease = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);
      const user = { pid: process.pid, since: expect.stringMatching(/^20\d\d-/), kernels: [kernel] };
      const refused = await run("stop", "--json");
      expect({ ...refused, stdout: JSON.parse(refused.stdout) }).toEqual({
        exitCode: 1,
        stdout: { outcome: "in-use", pid: lease.pid, users: [user] },
        stderr: expect.stringMatching(/ \(IN_USE\)\n$/),
      });
      const stopped = await run("stop", "--force", "--json");
      expect({ ...stopped, stdout: JSON.parse(stopped.stdout) }).toEqual({
        exitCode: 0,
        stdout: { outcome: "stopped", pid: lease.pid, users: [user] },
        stderr: "",
      });
      expect(gatewayProcesses(place)).toEqual([]);
      lease.release();
    });

    test("stop leaves nothing of a gateway that nobody uses", async () => {
      const { place, directory, run } = ompPlace();
      const patient = { ...place.options, graceMs: 60_000 };
      const lease = await new SharedGateway(patient).acquire();
      lease.release();
      expect(await run("stop")).toEqual({
        exitCode: 0,
        stdout: `Stopped the shared gateway (pid ${lease.pid}).\n`,
        stderr: "",
      });
      expect(gatewayProcesses(place)).toEqual([]);
      expect(existsSync(directory)).toBe(false);
    });
  },
  ["jupyter-kernel-gateway"],
);
