/** Processes that live and do not go on: the omp that holds the lock, and the gateway itself. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SharedGateway } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { kernelErrorOf } from "../../../support/kernels.ts";
import { isRunning, stop } from "../../../support/processes.ts";
import { describeWithPython, testPython } from "../../../support/python.ts";
import { until } from "../../../support/until.ts";
import { pathWith } from "../../../support/wheel.ts";
import {
  type GatewayTestPlace,
  gatewayPlace,
  gatewayProcesses,
  gatewayUser,
  leftovers,
  untilGone,
} from "./gateway-place.ts";
import { runIn, startKernel } from "./kernel-client.ts";

function lockOf({ options }: GatewayTestPlace): string {
  return join(options.directory, "gateway.lock");
}

/** A process that has taken the lock, and waits for a gateway that never comes up. */
async function stuckStarter(place: GatewayTestPlace) {
  const python = join(pathWith({ python: testPython.path }), "python");
  await Bun.write(python, "#!/bin/sh\nexec sleep 1000\n");
  const user = await gatewayUser({ ...place, options: { ...place.options, python } }, { withKernel: false });
  const report = user.go();
  await until("it waits for its gateway", () => gatewayProcesses(place).length === 1);
  const [gateway = 0] = gatewayProcesses(place);
  return { user, report, gateway };
}

describeWithPython(
  testPython,
  "the lock of the shared gateway",
  () => {
    test("of an omp that is stopped is said in one line with what to do; when that omp is ended, the next call works", async () => {
      const place = gatewayPlace({ lockSilenceMs: 300 });
      const { user, gateway } = await stuckStarter(place);
      const { pid } = user.process;
      await stop(pid);
      const error = await kernelErrorOf(new SharedGateway(place.options).acquire());
      expect([error.kind, error.message]).toEqual([
        "start-failed",
        `python: another omp (pid ${pid}) holds ${lockOf(place)} but is suspended; ` +
          `resume it with: kill -CONT ${pid}; or end it with: kill -KILL ${pid} (GATEWAY_LOCKED)`,
      ]);
      user.process.kill("SIGKILL");
      await user.process.exited;
      process.kill(gateway, "SIGKILL");
      const lease = await new SharedGateway(place.options).acquire();
      expect(await runIn(lease, await startKernel(lease), "print(6 * 7)")).toBe("42\n");
      lease.release();
      await untilGone(place);
    });

    test("of an omp that works on is waited for, however long that takes", async () => {
      const place = gatewayPlace({ lockSilenceMs: 5_000 });
      const { user, report, gateway } = await stuckStarter(place);
      const beat = Bun.file(lockOf(place)).lastModified;
      const acquiring = new SharedGateway(place.options).acquire();
      // Longer than an owner may be silent.
      await until("its heart has beaten", () => Bun.file(lockOf(place)).lastModified > beat + 5_500);
      process.kill(gateway, "SIGKILL");
      expect((await report).error).toContain("the shared gateway could not be started");
      const lease = await acquiring;
      expect(isRunning(lease.pid)).toBe(true);
      lease.release();
      await user.end();
      await untilGone(place);
    });

    test("is not needed for a gateway that came up although the omp that started it was stopped", async () => {
      // A busy machine takes long to start a gateway.
      const place = gatewayPlace({ lockSilenceMs: 50_000 });
      const starter = await gatewayUser(place);
      const report = starter.go();
      // From then on it needs nobody's help.
      const claims = new Bun.Glob("run-*/owner.json");
      const { directory } = place.options;
      await until("the gateway has read what it must know", () => {
        return existsSync(directory) && [...claims.scanSync(directory)].length > 0;
      });
      await stop(starter.process.pid);
      const lease = await new SharedGateway(place.options).acquire();
      expect(JSON.parse(readFileSync(lockOf(place), "utf8"))).toEqual({ pid: starter.process.pid });
      starter.process.kill("SIGCONT");
      expect((await report).pid).toBe(lease.pid);
      lease.release();
      await starter.end();
      await untilGone(place);
    });
  },
  ["jupyter-kernel-gateway"],
);

describeWithPython(
  testPython,
  "a shared gateway that is stopped",
  () => {
    test("is continued by who needs it next, with the kernels of the others", async () => {
      const place = gatewayPlace();
      const first = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(first);
      first.ownKernels([kernel]);
      await runIn(first, kernel, "kept = 42");
      await stop(first.pid);
      const second = await new SharedGateway(place.options).acquire();
      expect([second.pid, second.url]).toEqual([first.pid, first.url]);
      expect(await runIn(second, kernel, "print(kept)")).toBe("42\n");
      first.release();
      second.release();
      await untilGone(place);
      expect(leftovers(place)).toEqual([]);
    });
  },
  ["jupyter-kernel-gateway"],
);
