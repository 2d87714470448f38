import { expect, test } from "bun:test";
import {
  gatewayPlace,
  gatewayProcesses,
  gatewayUser,
  leftovers,
  untilGone,
} from "../kernel/gateway/shared/gateway-place.ts";
import { slow } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const OMPS = 20;

describeWithPython(
  testPython,
  "many omp at once",
  () => {
    test(
      "20 that start at the same moment share one gateway, have a working kernel each, and leave nothing",
      async () => {
        const place = gatewayPlace({ graceMs: 3000, startTimeoutMs: 120_000 });
        const users = await Promise.all(Array.from({ length: OMPS }, () => gatewayUser(place)));
        const reports = await Promise.all(users.map((user) => user.go()));
        const [gateway = 0] = new Set(reports.map(({ pid }) => pid));
        const kernels = reports.map(({ kernelPid }) => kernelPid);
        expect(new Set(reports.map(({ pid, url }) => `${pid} ${url}`)).size).toBe(1);
        expect(new Set(kernels).size).toBe(OMPS);
        expect(gatewayProcesses(place).sort()).toEqual([gateway, ...kernels].sort());
        // Half of them end as they should, the others are killed.
        await Promise.all(
          users.map(async (user, index) => {
            if (index % 2 === 0) return await user.end();
            user.process.kill("SIGKILL");
            await user.process.exited;
          }),
        );
        await untilGone(place);
        expect(leftovers(place)).toEqual([]);
      },
      slow(90, "starts 20 kernels in one gateway"),
    );
  },
  ["jupyter-kernel-gateway"],
);
