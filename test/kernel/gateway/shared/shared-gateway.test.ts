import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { GatewayClient } from "../../../../src/kernel/gateway/gateway-client.ts";
import { SharedGateway } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { askKernels } from "../../../../src/kernel/gateway/shared/status.ts";
import { identityOf } from "../../../../src/process/identity.ts";
import { kernelErrorOf } from "../../../support/kernels.ts";
import { isRunning, stop } from "../../../support/processes.ts";
import { describeWithPython, testPython } from "../../../support/python.ts";
import { until } from "../../../support/until.ts";
import { pathWith } from "../../../support/wheel.ts";
import { gatewayPlace, gatewayProcesses, gatewayUser, leftovers, untilGone } from "./gateway-place.ts";
import { call, runIn, startKernel } from "./kernel-client.ts";

const needed = ["jupyter-kernel-gateway"];
const modeOf = (path: string) => statSync(path).mode & 0o777;

describeWithPython(
  testPython,
  "the shared gateway",
  () => {
    test("is started by the first, used by the second, and ends when both have gone", async () => {
      const place = gatewayPlace();
      const { directory } = place.options;
      const first = await new SharedGateway(place.options).acquire();
      const second = await new SharedGateway(place.options).acquire();
      expect([second.pid, second.url, second.token]).toEqual([first.pid, first.url, first.token]);
      expect(JSON.parse(readFileSync(join(directory, "gateway.json"), "utf8"))).toEqual({
        version: 1,
        ...identityOf(first.pid),
        host: hostname(),
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        token: expect.stringMatching(/^[\w-]{43}$/),
        python: testPython.path,
        startedAt: expect.stringMatching(/^20\d\d-/),
        run: expect.stringContaining(directory),
      });
      first.release();
      second.release();
      await untilGone(place);
      expect(leftovers(place)).toEqual([]);
    });

    test("is private: files, arguments, environment, origins", async () => {
      const place = gatewayPlace();
      const { directory } = place.options;
      const lease = await new SharedGateway(place.options).acquire();
      for (const name of ["gateway.json", "gateway.lock", "gateway.log"])
        expect(modeOf(join(directory, name))).toBe(0o600);
      expect([modeOf(directory), modeOf(join(directory, "users"))]).toEqual([0o700, 0o700]);

      const seen = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${lease.pid}/${file}`, "utf8"));
      expect(seen.join("")).not.toContain(lease.token);
      expect(seen[0]?.split("\0").slice(1, 3)).toEqual(["-m", "kernel_gateway"]);

      expect((await fetch(`${lease.url}/api/kernelspecs`)).status).toBe(401);
      const foreign = await call(lease, "/api/kernels", { headers: { Origin: "http://example.org" } });
      expect(foreign.headers.get("Access-Control-Allow-Origin")).toBeNull();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);
      const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
      const socket = await call(lease, `/api/kernels/${kernel}/channels`, {
        headers: {
          ...upgrade,
          "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
          Origin: "http://example.org",
        },
      });
      expect(socket.status).toBe(403);
      lease.release();
      await untilGone(place);
    });

    test("gives kernels the chosen interpreter and environment, whatever the user's Jupyter is set up for", async () => {
      const place = gatewayPlace();
      const packages = join(place.home, "packages");
      const env = { ...place.options.env, PYTHONPATH: packages };
      const kernels = join(place.home, ".local/share/jupyter/kernels/python3");
      const configuration = join(place.home, ".jupyter");
      await Bun.write(
        join(kernels, "kernel.json"),
        JSON.stringify({ argv: ["false"], display_name: "no", language: "python" }),
      );
      await Bun.write(join(configuration, "jupyter_config.py"), "raise SystemExit(1)\n");
      // Its import alone would take seconds.
      await Bun.write(join(packages, "rfc3987_syntax.py"), "raise SystemExit(1)\n");
      const lease = await new SharedGateway({
        ...place.options,
        env: { ...env, KG_PORT: "1", MINE: "1" },
      }).acquire();
      const ask = "import os, sys, json; print(json.dumps([sys.executable, dict(os.environ)]))";
      // With variables of its own a kernel would get little else from a Kernel Gateway that was not told otherwise.
      for (const body of [{}, { env: { KERNEL_ID: "x" } }]) {
        const kernel = await startKernel(lease, body);
        lease.ownKernels([kernel]);
        const [executable, seen] = JSON.parse(await runIn(lease, kernel, ask));
        expect(executable).toBe(testPython.path);
        expect(seen).toMatchObject({ HOME: place.home, MINE: "1" });
        const foreign = Object.keys(seen).filter((name) =>
          /^KG_|RUNTIME_DIR|NO_CONFIG|IPYTHONDIR|TMPDIR/.test(name),
        );
        expect(foreign).toEqual([]);
      }
      expect(readdirSync(configuration)).toEqual(["jupyter_config.py"]);
      lease.release();
      await untilGone(place);
    });

    test("lets output through at any rate", async () => {
      const place = gatewayPlace();
      const lease = await new SharedGateway(place.options).acquire();
      const kernel = await startKernel(lease);
      lease.ownKernels([kernel]);
      const bytes = 20_000_000;
      const output = await runIn(
        lease,
        kernel,
        `import sys\nfor _ in range(200): sys.stdout.write("x" * ${bytes / 200}); sys.stdout.flush()`,
      );
      expect(output.length).toBe(bytes);
      lease.release();
      await untilGone(place);
    });

    test("goes on when the omp that started it is killed, and ends that one's kernel", async () => {
      const place = gatewayPlace();
      const starter = await gatewayUser(place);
      const other = await gatewayUser(place);
      const [theirs, mine] = [await starter.go(), await other.go()];
      expect(mine.pid).toBe(theirs.pid);
      starter.process.kill("SIGKILL");
      await until("the kernel of the killed one is gone", () => !isRunning(theirs.kernelPid));
      const lease = await new SharedGateway(place.options).acquire();
      expect(lease.pid).toBe(theirs.pid);
      expect(await runIn(lease, mine.kernel, "print(6 * 7)")).toBe("42\n");
      lease.release();
      await other.end();
      await untilGone(place);
      expect(leftovers(place)).toEqual([]);
    });

    test("keeps the kernel of an omp that is stopped, and ends one that nobody has named", async () => {
      const place = gatewayPlace();
      const user = await gatewayUser(place);
      const { kernel, kernelPid } = await user.go();
      const lease = await new SharedGateway(place.options).acquire();
      await stop(user.process.pid);
      await startKernel(lease);
      for (;;) {
        const ids = (await askKernels(lease))?.map(({ id }) => id);
        if (ids?.length === 1) expect(ids).toEqual([kernel]);
        if (ids?.length === 1) break;
      }
      expect(isRunning(kernelPid)).toBe(true);
      lease.release();
      user.process.kill("SIGKILL");
      await untilGone(place);
    });

    test("of another interpreter is replaced when nobody uses it, else its users are named", async () => {
      const other = join(pathWith({ python: testPython.path }), "python");
      const place = gatewayPlace();
      const first = await new SharedGateway(place.options).acquire();
      const foreign = new SharedGateway({ ...place.options, python: other });
      const refused = await kernelErrorOf(foreign.acquire());
      expect(refused.message).toBe(
        `python: the shared gateway runs ${testPython.path} for another omp (pid ${process.pid}), and this session needs ${other}; ` +
          "wait until they end, set python.sharedGateway to false here, or stop it anyway: omp gateway stop --force (GATEWAY_OTHER_PYTHON)",
      );
      expect(isRunning(first.pid)).toBe(true);
      first.release();
      const second = await foreign.acquire();
      expect(isRunning(first.pid)).toBe(false);
      second.release();
      await untilGone(place);
    });

    test("without descriptors is restarted for its only user, else the others are named", async () => {
      const python = join(pathWith({ python: testPython.path }), "python");
      await Bun.write(python, `#!/bin/sh\nulimit -n 30\nexec '${testPython.path}' "$@"\n`);
      const place = gatewayPlace({ python });
      const gateway = new SharedGateway(place.options);
      const first = await gateway.acquire();
      const client = new GatewayClient({ name: "shared", url: first.url, token: first.token });
      const kernels: string[] = [];
      const { signal } = new AbortController();
      const fill = async () => {
        for (;;) {
          kernels.push((await client.startKernel("python3", { env: {}, signal })).id);
          first.ownKernels(kernels);
        }
      };
      const full = await kernelErrorOf(fill());
      expect([full.kind, full.code]).toEqual(["exhausted", "EMFILE"]);
      const second = await gateway.restart(first);
      expect([isRunning(first.pid), isRunning(second.pid)]).toEqual([false, true]);
      const other = await gateway.acquire();
      const refused = await kernelErrorOf(gateway.restart(second));
      expect([refused.kind, refused.message]).toEqual([
        "exhausted",
        `python: the shared gateway (pid ${second.pid}) has no file descriptors left, and another omp (pid ${process.pid}) still uses it; ` +
          "end that, or restart it for all: omp gateway stop --force (EMFILE)",
      ]);
      expect(isRunning(second.pid)).toBe(true);
      other.release();
      await untilGone(place);
    });

    test("that is no longer wanted while it starts is not left behind", async () => {
      const place = gatewayPlace();
      const controller = new AbortController();
      const acquiring = new SharedGateway(place.options).acquire({ signal: controller.signal });
      const failed = acquiring.then(
        () => "acquired",
        (error: unknown) => error,
      );
      await until("it starts", () => gatewayProcesses(place).length > 0);
      controller.abort(new Error("no longer wanted"));
      expect(await failed).toEqual(new Error("no longer wanted"));
      await untilGone(place);
      expect(leftovers(place)).toEqual([]);
    });

    test("that cannot be imported is named with the command that installs it", async () => {
      const python = join(pathWith({ python: testPython.path }), "python");
      await Bun.write(python, `#!/bin/sh\nexec '${testPython.path}' -S "$@"\n`);
      const place = gatewayPlace({ python });
      const error = await kernelErrorOf(new SharedGateway(place.options).acquire());
      expect(error.message).toBe(
        `python: kernel_gateway is not installed in ${python}, and python.sharedGateway needs it; ` +
          `run: ${python} -m pip install jupyter_kernel_gateway (KERNEL_GATEWAY_NOT_FOUND)`,
      );
      expect(leftovers(place)).toEqual([]);
    });
  },
  needed,
);

test("a full disk is said in one line, and leaves no user behind", async () => {
  const place = gatewayPlace();
  const { directory } = place.options;
  await Bun.write(join(directory, "users", "none"), "");
  // Every write to it fails with ENOSPC.
  symlinkSync("/dev/full", join(directory, "gateway.lock"));
  const error = await kernelErrorOf(new SharedGateway(place.options).acquire());
  expect(error.message).toBe(
    `python: the shared gateway cannot be coordinated in ${directory}: the disk is full; free some space, or set OMP_HOME to another disk (ENOSPC)`,
  );
  expect(readdirSync(join(directory, "users"))).toEqual(["none"]);
});

test("a file in the directory's place is said in one line", async () => {
  const place = gatewayPlace();
  const { directory } = place.options;
  await Bun.write(directory, "");
  const error = await kernelErrorOf(new SharedGateway(place.options).acquire());
  expect(error.message).toBe(
    `python: the shared gateway cannot be coordinated in ${directory}: something other than a directory is in the way (${error.code})`,
  );
});
