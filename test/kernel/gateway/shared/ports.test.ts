import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SharedGateway } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { describeWithPython, testPython } from "../../../support/python.ts";
import { gatewayPlace, untilGone } from "./gateway-place.ts";
import { runIn, startKernel } from "./kernel-client.ts";

describeWithPython(
  testPython,
  "kernels of the shared gateway",
  () => {
    test("listen where no connection of anybody's can be in their way", async () => {
      const place = gatewayPlace();
      const { directory } = place.options;
      const lease = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);
      expect(await runIn(lease, kernel, "print(1)")).toBe("1\n");
      const [run = ""] = readdirSync(directory).filter((name) => name.startsWith("run-"));
      const file = JSON.parse(readFileSync(join(directory, run, `kernel-${kernel}.json`), "utf8"));
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
