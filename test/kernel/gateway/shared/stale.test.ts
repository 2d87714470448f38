/** What gateways and machines that ended badly leave behind, and what stands in a gateway's place. */

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { SharedGateway } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { identityOf } from "../../../../src/process/identity.ts";
import { kernelErrorOf } from "../../../support/kernels.ts";
import { isRunning } from "../../../support/processes.ts";
import { describeWithPython, testPython } from "../../../support/python.ts";
import {
  type GatewayTestPlace,
  gatewayPlace,
  gatewayProcesses,
  leftovers,
  untilGone,
} from "./gateway-place.ts";

/** Each gateway here is seen to its end, and nobody comes back to one. */
const shortGrace = { graceMs: 300 };

/** A record as a gateway of this process would have written it, but for the changes. */
function writeRecord({ options }: GatewayTestPlace, changes: object): void {
  const { directory, python } = options;
  mkdirSync(directory, { recursive: true });
  const run = join(directory, "run-gone");
  const place = { version: 1, host: hostname(), python, run, startedAt: "2026-01-01T00:00:00+00:00" };
  const record = { ...place, ...identityOf(process.pid), url: "http://127.0.0.1:9", token: "t", ...changes };
  writeFileSync(join(directory, "gateway.json"), JSON.stringify(record));
}

/** A new gateway is there, works, and is the only one. */
async function expectReplaced(place: GatewayTestPlace): Promise<void> {
  const lease = await new SharedGateway(place.options).acquire();
  const record = JSON.parse(readFileSync(join(place.options.directory, "gateway.json"), "utf8"));
  expect(record).toMatchObject({ ...identityOf(lease.pid), url: lease.url });
  expect(gatewayProcesses(place)).toEqual([lease.pid]);
  lease.release();
  await untilGone(place);
  expect(leftovers(place)).toEqual([]);
}

describeWithPython(
  testPython,
  "a record of the shared gateway",
  () => {
    test("of a process that has ended is replaced, with the directory that it left", async () => {
      const place = gatewayPlace(shortGrace);
      const ended = Bun.spawn(["true"]);
      await ended.exited;
      writeRecord(place, { pid: ended.pid, started: "1" });
      const run = join(place.options.directory, "run-gone");
      mkdirSync(run);
      writeFileSync(join(run, "owner.json"), JSON.stringify({ pid: ended.pid, started: "1" }));
      await expectReplaced(place);
    });

    test("of a number that another process has by now is replaced, and that process is left alone", async () => {
      const place = gatewayPlace(shortGrace);
      const other = Bun.spawn(["sleep", "1000"]);
      writeRecord(place, { pid: other.pid, started: "1" });
      await expectReplaced(place);
      expect(isRunning(other.pid)).toBe(true);
      other.kill();
      await other.exited;
    });

    test("of a process where nobody listens is replaced, and the process ended", async () => {
      const place = gatewayPlace(shortGrace);
      const deaf = Bun.spawn(["sleep", "1000"]);
      writeRecord(place, identityOf(deaf.pid));
      await expectReplaced(place);
      expect(await deaf.exited).not.toBe(0);
    });

    test("where something else answers is replaced", async () => {
      const place = gatewayPlace(shortGrace);
      const headers = { "Content-Type": "text/html" };
      const seen: (string | null)[] = [];
      const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ headers: sent }) => {
          seen.push(sent.get("Authorization"));
          return new Response("<h1>hello</h1>", { headers });
        },
      });
      const holder = Bun.spawn(["sleep", "1000"]);
      writeRecord(place, { ...identityOf(holder.pid), url: `http://127.0.0.1:${server.port}` });
      await expectReplaced(place);
      expect(seen.length).toBeGreaterThan(0);
      await server.stop(true);
      await holder.exited;
    });

    test("that is torn, of another format or for another address is replaced", async () => {
      const address = { url: "http://192.0.2.1:80" };
      const [format, elsewhere, torn] = [
        gatewayPlace(shortGrace),
        gatewayPlace(shortGrace),
        gatewayPlace(shortGrace),
      ];
      writeRecord(format, { version: 99 });
      writeRecord(elsewhere, address);
      mkdirSync(torn.options.directory);
      writeFileSync(join(torn.options.directory, "gateway.json"), '{"version": 1, "pi');
      await Promise.all([format, elsewhere, torn].map(expectReplaced));
    });

    test("of another machine holds for as long as it is touched", async () => {
      const place = gatewayPlace(shortGrace);
      writeRecord(place, { host: "elsewhere" });
      const error = await kernelErrorOf(new SharedGateway(place.options).acquire());
      expect(error.message).toBe(
        "python: the shared gateway of this home runs on elsewhere; give each machine its own OMP_HOME, " +
          "or set python.sharedGateway to false here (GATEWAY_OTHER_HOST)",
      );
      const longAgo = new Date(Date.now() - 120_000);
      utimesSync(join(place.options.directory, "gateway.json"), longAgo, longAgo);
      await expectReplaced(place);
    });

    test("of a gateway that was killed is replaced, and its kernels end by themselves", async () => {
      const place = gatewayPlace(shortGrace);
      const lease = await new SharedGateway(place.options).acquire();
      process.kill(lease.pid, "SIGKILL");
      lease.release();
      await untilGone(place);
      await expectReplaced(place);
    });
  },
  ["jupyter-kernel-gateway"],
);
