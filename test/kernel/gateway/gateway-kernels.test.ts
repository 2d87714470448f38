import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { chooseSpec } from "../../../src/kernel/gateway/gateway-kernels.ts";
import { KernelPool } from "../../../src/kernel/pool/pool.ts";
import { ArtifactStore } from "../../../src/output/artifacts.ts";
import { pythonTool } from "../../../src/tools/python/python.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { gatewayKernels, gatewayNeeds, startGateway, type TestGateway } from "../../support/gateways.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelErrorOf, runCell } from "../../support/kernels.ts";
import { describeWithPython } from "../../support/python.ts";
import { selfSigned } from "./self-signed.ts";

const { python, packages } = gatewayNeeds("jupyter server");

describeWithPython(
  python,
  "kernels in a Jupyter Server",
  () => {
    let gateway: TestGateway;
    let ca: string;
    beforeAll(async () => {
      const directory = temporaryDirectory({ lasts: "file" });
      ca = (await selfSigned(directory)).cert;
      // With its defaults otherwise: encrypted, at a base path, and with a limit of 1 MB/s.
      gateway = await startGateway("jupyter server", {
        lasts: "file",
        limitsRate: true,
        ca,
        basePath: "user/ada/",
        argv: [
          `--ServerApp.certfile=${join(directory, "cert.pem")}`,
          `--ServerApp.keyfile=${join(directory, "key.pem")}`,
          "--ServerApp.base_url=/user/ada/",
        ],
      });
    });

    const kernelsThere = (options: Parameters<typeof gatewayKernels>[1] = {}) =>
      gatewayKernels(gateway, {
        gateway: { name: "lab", url: gateway.url, token: gateway.token, ca },
        ...options,
      });

    test("are reached with TLS at a base path; the trace never holds the token", async () => {
      const lines: string[] = [];
      const kernels = kernelsThere({ trace: (line) => lines.push(line) });
      const kernel = await kernels.start({ cwd: temporaryDirectory() });
      expect((await runCell(kernel, "6 * 7")).value).toBe("42");
      expect(lines.some((line) => line.includes("execute_request"))).toBe(true);
      expect(lines.join("\n")).not.toContain(gateway.token);
    });

    test("are not reached with a certificate that nobody vouches for", async () => {
      const place = { name: "lab", url: gateway.url, token: gateway.token };
      const start = kernelsThere({ gateway: place }).start({ cwd: temporaryDirectory() });
      expect(await kernelErrorOf(start)).toMatchObject({ kind: "gateway", code: "GATEWAY_TLS" });
    });

    test("know our directory from one that is not there, and start all the same", async () => {
      const kernels = kernelsThere();
      const here = temporaryDirectory();
      const kernel = await kernels.start({ cwd: here });
      expect(kernel.facts.location).toEqual({
        gateway: "lab",
        host: hostname(),
        cwd: here,
        seesOurFiles: true,
      });
      const gone = join(here, "gone");
      mkdirSync(gone);
      rmSync(gone, { recursive: true });
      const stranger = await kernels.start({ cwd: gone });
      expect(stranger.facts.location).toMatchObject({ gateway: "lab", seesOurFiles: false });
      expect(stranger.facts.location.cwd).not.toBe(gone);
    });

    test("that share our disk do not start where there is no such directory", async () => {
      const cwd = join(temporaryDirectory(), "gone");
      const error = await kernelErrorOf(kernelsThere({ files: "shared" }).start({ cwd }));
      expect(error).toMatchObject({ kind: "start-failed", code: "KERNEL_BOOT" });
    });

    test("get extension modules as text, and variables by code", async () => {
      const directory = temporaryDirectory();
      const path = join(directory, "greeting.py");
      writeFileSync(path, "def greet(): return 'hello from a file of ours'\n");
      const lost = { name: "lost", path: join(directory, "lost.py") };
      const kernels = kernelsThere({
        env: { OMP_TEST_COLOUR: "blue" },
        extensionModules: () => [{ name: "greeting", path }, lost],
      });
      const kernel = await kernels.start({ cwd: directory });
      expect(kernel.facts.failedModules).toEqual([
        { name: "lost", error: expect.stringContaining("ENOENT") },
      ]);
      rmSync(path);
      const { value } = await runCell(kernel, "import os; greet(), os.environ['OMP_TEST_COLOUR']");
      expect(value).toBe("('hello from a file of ours', 'blue')");
    });

    test("whose output the server cuts say so, and the result is marked", async () => {
      const kernels = kernelsThere();
      const pool = new KernelPool({ host: kernels, mode: "session", idleMs: 60_000, maxSessions: 1 });
      const project = temporaryDirectory();
      const artifacts = new ArtifactStore({
        directory: join(project, "artifacts"),
        maxTotalBytes: 1e9,
        maxAgeMs: 1e9,
      });
      const tool = pythonTool({
        kernels: async () => pool,
        artifacts: () => artifacts,
      });
      const registry = new ToolRegistry([tool]);
      const call = (code: string) =>
        registry.run(
          "python",
          { cells: [{ code }] },
          {
            cwd: project,
            projectRoot: project,
            sessionId: "s",
            signal: new AbortController().signal,
            onUpdate: () => undefined,
          },
        );
      const flood = await call("for i in range(40): print('x' * 250_000)");
      expect(flood.details?.["truncated"]).toBe(true);
      expect(flood.output).toContain("[part of the output is missing: gateway lab dropped part of it");
      expect(flood.output).not.toContain("IOPub");
      // The kernel's own words are only words.
      const words = await call("import sys; print('IOPub data rate exceeded.', file=sys.stderr)");
      expect(words).toMatchObject({ isError: false, output: "IOPub data rate exceeded." });
      await pool.close();
    });
  },
  packages,
);

describe("the kernelspec", () => {
  const spec = (name: string, language: string) => ({ name, language });

  test("is the one asked for, the default, or the first Python", () => {
    const specs = [spec("ir", "R"), spec("spark", "python"), spec("python3", "python")];
    expect(chooseSpec({ default: "python3", specs }, undefined, "lab")).toBe("python3");
    expect(chooseSpec({ default: "python3", specs }, "spark", "lab")).toBe("spark");
    expect(chooseSpec({ default: "ir", specs }, undefined, "lab")).toBe("spark");
    expect(() => chooseSpec({ default: "ir", specs: [spec("ir", "R")] }, undefined, "lab")).toThrow(
      "gateway lab has no kernelspec for Python: it has ir",
    );
  });
});
