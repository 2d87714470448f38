/** An omp that is killed cannot end its kernel in a gateway elsewhere: the next one does. */

import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "../../src/kernel/gateway/gateway-client.ts";
import { gatewayNeeds, startGateway } from "../support/gateways.ts";
import { temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

/** A gateway, and omps of one user that work in it. */
async function users() {
  const argv = ["--JupyterWebsocketPersonality.list_kernels=True"];
  const { url, token } = await startGateway("kernel gateway", { argv });
  const place = temporaryPlace();
  const env = { PI_PYTHON_GATEWAY_URL: url, PI_PYTHON_GATEWAY_TOKEN: token };
  const client = new GatewayClient({ name: "test", url, token });
  const ledger = join(place.home, ".omp/agent/gateway-kernels");
  const line = { id: 1, name: "python", input: { cells: [{ code: "print('up')" }], timeout: 300 } };
  return {
    url,
    token,
    ledger,
    /** Waits until the gateway counts so many connections to a kernel. */
    untilConnected: async (id: string, count: number) => {
      while ((await client.kernel(id))?.connections !== count) await Bun.sleep(5);
    },
    kernels: async () => (await client.kernels()).map(({ id }) => id),
    /** One that has a kernel, and waits. */
    waiting: async () => {
      const child = Bun.spawn([launcher, "tool", "--batch"], {
        cwd: place.project,
        env: userEnvironment(place, env),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      });
      child.stdin.write(`${JSON.stringify(line)}\n`);
      await child.stdin.flush();
      const { value } = await child.stdout.getReader().read();
      expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ output: "up" });
      return child;
    },
    run: async () => {
      const cells = JSON.stringify({ cells: [{ code: "6 * 7" }], timeout: 300 });
      expect(await omp(["tool", "python", cells], { place, env })).toEqual({
        exitCode: 0,
        stdout: "42\n",
        stderr: "",
      });
    },
  };
}

describeWithPython(
  testPython,
  "kernels in a gateway elsewhere",
  () => {
    test("of an omp that was killed are ended by the next; of one that lives they are not", async () => {
      const { kernels, waiting, run, ledger, untilConnected } = await users();
      const killed = await waiting();
      const [left = ""] = await kernels();
      const living = await waiting();
      const mine = (await kernels()).filter((id) => id !== left);
      expect(mine.length).toBe(1);
      expect([statSync(ledger).mode & 0o777, readdirSync(ledger).length]).toEqual([0o700, 2]);
      killed.kill("SIGKILL");
      await untilConnected(left, 0);
      // A server that is slow to end a kernel is not waited for: then it is the one after.
      do await run();
      while (readdirSync(ledger).some((name) => name.startsWith(`${killed.pid}-`)));
      expect(await kernels()).not.toContain(left);
      expect(await kernels()).toContain(mine[0] ?? "");
      await living.stdin.end();
      expect(await living.exited).toBe(0);
    });

    test("that somebody is connected to are left to them until they go", async () => {
      const { url, token, kernels, waiting, run, ledger, untilConnected } = await users();
      const killed = await waiting();
      const [left = ""] = await kernels();
      const ofKilled = () => readdirSync(ledger).filter((name) => name.startsWith(`${killed.pid}-`));
      killed.kill("SIGKILL");
      await untilConnected(left, 0);
      const socket = new WebSocket(`${url.replace("http", "ws")}api/kernels/${left}/channels`, {
        headers: { Authorization: `token ${token}` },
      });
      await untilConnected(left, 1);
      await run();
      expect([await kernels(), ofKilled().length]).toEqual([expect.arrayContaining([left]), 1]);
      socket.close();
      await untilConnected(left, 0);
      do await run();
      while (ofKilled().length > 0);
      expect(await kernels()).not.toContain(left);
    });
  },
  [...gatewayNeeds("kernel gateway").packages],
);
