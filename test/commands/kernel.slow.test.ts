/** `omp kernel` over every place: kernels of this machine, a real gateway, and gateways that cannot be asked. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KernelAction, runKernel } from "../../src/commands/kernel.ts";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../src/kernel/existing/existing-kernels.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { gatewayKernels, gatewayNeeds, startGateway } from "../support/gateways.ts";
import { type TestPlace, temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { localKernels } from "../support/kernels.ts";
import { describeWithPython, testPython } from "../support/python.ts";

interface Place {
  readonly place: string;
  readonly problem: string | null;
  readonly kernels: readonly { readonly id: string; readonly cwd: string | null }[];
}

function userOf(place: TestPlace, settings: object, env: Record<string, string> = {}) {
  const agent = join(place.home, ".omp/agent");
  mkdirSync(agent, { recursive: true });
  writeFileSync(join(agent, "omp.jsonc"), JSON.stringify(settings));
  const run = async (action: KernelAction) => {
    const output = { stdout: "", stderr: "" };
    const io = {
      stdout: (text: string) => {
        output.stdout += text;
      },
      stderr: (text: string) => {
        output.stderr += text;
      },
    };
    const exitCode = await runKernel(action, io, { env: { HOME: place.home, ...env }, cwd: place.project });
    return { exitCode, ...output };
  };
  const places = async (): Promise<Place[]> => JSON.parse((await run({ name: "list", json: true })).stdout);
  return { run, places };
}

describeWithPython(
  testPython,
  "omp kernel",
  () => {
    test("lists the kernels of every place, and says which place cannot be asked", async () => {
      const place = temporaryPlace();
      const { kernels, base, home } = localKernels();
      const gateway = await startGateway("kernel gateway", {
        argv: ["--JupyterWebsocketPersonality.list_kernels=True"],
      });
      const [own, remote] = await Promise.all([
        kernels.start({ cwd: home }),
        gatewayKernels(gateway).start({ cwd: home }),
      ]);
      const gateways = [
        { name: "lab", url: gateway.url, tokenEnv: "LAB_TOKEN" },
        { name: "wrong", url: gateway.url, token: "n0t-the-token" },
        { name: "down", url: "http://127.0.0.1:9/" },
        { name: "locked", url: gateway.url, tokenEnv: "NOT_SET" },
      ];
      const user = userOf(
        place,
        { gateways, python: { sharedGateway: true } },
        { XDG_RUNTIME_DIR: base, LAB_TOKEN: gateway.token },
      );
      const places = await user.places();
      expect(places.map((each) => each.place)).toEqual([
        "local",
        "existing",
        "shared",
        "lab",
        "wrong",
        "down",
        "locked",
      ]);
      const [local, , shared, lab, wrong, down, locked] = places;
      expect(local?.kernels.filter(({ cwd }) => cwd === home)).toEqual([
        {
          id: `k${own.facts.pid}`,
          spec: testPython.path,
          state: "alive",
          since: expect.any(String),
          cwd: home,
          owner_pid: process.pid,
          connection_file: expect.stringMatching(/kernel\.json$/),
        } as never,
      ]);
      expect(shared).toMatchObject({ problem: "is not running", kernels: [] });
      expect(lab).toMatchObject({
        url: gateway.url,
        problem: null,
        kernels: [{ id: remote.id, spec: "python3" }],
      });
      expect(wrong?.problem).toContain("token");
      expect(down?.problem).toContain("cannot be reached");
      expect(locked?.problem).toBe("the token of the gateway 'locked' is in NOT_SET, which is not set");

      const { exitCode, stdout } = await user.run({ name: "list" });
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`k${own.facts.pid}`);
      expect(stdout).toContain(`${remote.id.slice(0, 8)}  lab`);
      for (const secret of [gateway.token, "n0t-the-token"])
        expect(stdout + JSON.stringify(places)).not.toContain(secret);
    });

    test("gives the connection file of a kernel on this machine", async () => {
      const { kernels, base, home } = localKernels();
      const { facts, connectionInfo } = await kernels.start({ cwd: home });
      const user = userOf(temporaryPlace(), {}, { XDG_RUNTIME_DIR: base });
      const id = `k${facts.pid}`;
      const path = await user.run({ name: "connect-info", id });
      expect(path).toMatchObject({ exitCode: 0, stderr: "" });
      const json = await user.run({ name: "connect-info", id, json: true });
      expect(JSON.parse(json.stdout).key).toBe(connectionInfo?.key);
      expect(await user.run({ name: "connect-info", id: "" })).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: "kernel: no kernel ''; see: omp kernel list (NOT_FOUND)\n",
      });
      const client = Bun.spawnSync([
        testPython.path,
        "-c",
        "import sys; from jupyter_client import BlockingKernelClient as C; c = C(); c.load_connection_file(sys.argv[1]); c.start_channels(); c.wait_for_ready(20); print(c.kernel_info(reply=True)['content']['status'])",
        path.stdout.trim(),
      ]);
      expect(client.stdout.toString()).toBe("ok\n");
    });

    test("lists an existing kernel that an omp works in, and does not end it", async () => {
      const base = temporaryDirectory();
      const foreign = await startForeignKernel();
      const kernels = new ExistingKernels({ connection: readConnection(foreign.file), runtimeBases: [base] });
      const user = userOf(temporaryPlace(), {}, { XDG_RUNTIME_DIR: base });
      const listed = async () =>
        (await user.places())
          .find(({ place }) => place === "existing")
          ?.kernels.filter(({ id }) => id === `e${process.pid}`);
      try {
        await kernels.start({ cwd: base });
        const id = `e${process.pid}`;
        expect(await listed()).toEqual([
          {
            id,
            spec: foreign.file,
            state: "alive",
            since: expect.any(String),
            cwd: null,
            owner_pid: process.pid,
            connection_file: foreign.file,
          } as never,
        ]);
        expect(await user.run({ name: "connect-info", id })).toMatchObject({ stdout: `${foreign.file}\n` });
        expect(await user.run({ name: "stop", id })).toEqual({
          exitCode: 1,
          stdout: "",
          stderr: `python: kernel ${id} was not started by omp: stop it where it was started, or end the omp that works in it (${foreign.file}) (KERNEL_NOT_OURS)\n`,
        });
        expect(foreign.isAlive()).toBe(true);
      } finally {
        await kernels.close();
      }
      expect(await listed()).toEqual([]);
      expect(readdirSync(base)).toEqual([]);
    });

    test("stops a kernel of this machine and one in a gateway by the beginning of its id", async () => {
      const { kernels, base, home } = localKernels();
      const gateway = await startGateway("kernel gateway", {
        argv: ["--JupyterWebsocketPersonality.list_kernels=True"],
      });
      const remoteKernels = gatewayKernels(gateway);
      const [own, remote] = await Promise.all([
        kernels.start({ cwd: home }),
        remoteKernels.start({ cwd: home }),
      ]);
      const user = userOf(
        temporaryPlace(),
        { gateways: [{ name: "lab", url: gateway.url, token: gateway.token }] },
        { XDG_RUNTIME_DIR: base },
      );
      const id = `k${own.facts.pid}`;
      expect(await user.run({ name: "stop", id })).toEqual({
        exitCode: 0,
        stdout: `Stopped ${id} (local).\n`,
        stderr: "",
      });
      expect((await own.exited).expected).toBe(false);
      expect((await user.run({ name: "connect-info", id: remote.id })).stderr).toBe(
        `kernel: kernel ${remote.id} is in the gateway 'lab', which does not share its connection file; you can only connect to kernels that omp runs on this machine (NO_CONNECTION_FILE)\n`,
      );
      expect((await user.run({ name: "stop", id: remote.id.slice(0, 13) })).stdout).toBe(
        `Stopped ${remote.id} (lab).\n`,
      );
      expect((await user.places()).find(({ place }) => place === "lab")?.kernels).toEqual([]);
    });
  },
  gatewayNeeds("kernel gateway").packages,
);

test("a kernel that is not there is told in a line, with the places that could not be asked", async () => {
  const settings = { gateways: [{ name: "down", url: "http://127.0.0.1:9/" }] };
  const { run } = userOf(temporaryPlace(), settings);
  expect(await run({ name: "stop", id: "nobody" })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "kernel: no kernel 'nobody' (down did not answer); see: omp kernel list (NOT_FOUND)\n",
  });
});
