import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SharedGateway } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { describeWithPython, testPython } from "../../../support/python.ts";
import { type GatewayTestPlace, gatewayPlace, untilGone } from "./gateway-place.ts";
import { runIn, startKernel } from "./kernel-client.ts";

describeWithPython(
  testPython,
  "kernels of the shared gateway",
  () => {
    /** Uses a kernel, and says what its connection file has. */
    async function connectionIn(place: GatewayTestPlace) {
      const { directory } = place.options;
      const lease = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);
      expect(await runIn(lease, kernel, "print(1)")).toBe("1\n");
      const [run = ""] = readdirSync(directory).filter((name) => name.startsWith("run-"));
      const file = JSON.parse(readFileSync(join(directory, run, `kernel-${kernel}.json`), "utf8"));
      return { lease, file };
    }

    test("listen on sockets that only the user can reach, and leave none of them", async () => {
      const place = gatewayPlace();
      const { lease, file } = await connectionIn(place);
      const sockets = dirname(file.ip);
      expect({ transport: file.transport, base: dirname(sockets) }).toEqual({
        transport: "ipc",
        base: place.home,
      });
      expect(statSync(sockets).mode & 0o777).toBe(0o700);
      lease.release();
      await untilGone(place);
      expect(existsSync(sockets)).toBe(false);
    });

    test("over TCP, listen where no connection of anybody's can be in their way", async () => {
      const place = gatewayPlace({ socketBases: undefined });
      const { lease, file } = await connectionIn(place);
      expect(file.transport).toBe("tcp");
      const ports = Object.keys(file)
        .filter((name) => name.endsWith("_port"))
        .map((name) => Number(file[name]));
      const [lowest] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
      expect(new Set(ports).size).toBe(5);
      expect(ports.filter((port) => port < 10_000 || port >= (lowest ?? 0))).toEqual([]);
      lease.release();
      await untilGone(place);
    });
  },
  ["jupyter_kernel_gateway"],
);
