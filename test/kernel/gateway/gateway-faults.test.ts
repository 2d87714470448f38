import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { killGroup } from "../../../src/process/group.ts";
import { fakeGateway, kernelSpecsAnswer } from "../../support/fake-gateway.ts";
import {
  type GatewayKind,
  gatewayKernels,
  gatewayNeeds,
  startGateway,
  type TestGateway,
} from "../../support/gateways.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { deafCell, kernelErrorOf, runCell } from "../../support/kernels.ts";
import { describeWithPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";

const { python, packages } = gatewayNeeds("kernel gateway");
const SLEEP = "import time\nprint('begun', flush=True)\ntime.sleep(1e6)";

/** Does something to the gateway once the code has printed; gives the error that the cell ends with. */
async function errorAfter(
  kernel: Kernel,
  { code = SLEEP, act, signal }: { code?: string; act: () => unknown; signal?: AbortSignal },
) {
  const reading = async () => {
    const options = signal ? { signal } : {};
    for await (const { header } of kernel.execute(code, options))
      if (header.msg_type === "stream") void act();
  };
  return await kernelErrorOf(reading());
}

async function rest({ url, token }: TestGateway, method: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { method, headers: { Authorization: `token ${token}` } });
  return response.status === 204 ? undefined : await response.json();
}

/** Ids of the gateway's kernels. */
async function idsIn(gateway: TestGateway): Promise<string[]> {
  const kernels = (await rest(gateway, "GET", "api/kernels")) as { id: string }[];
  return kernels.map(({ id }) => id);
}

describeWithPython(
  python,
  "a gateway on a bad day",
  () => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway("kernel gateway", {
        lasts: "file",
        argv: ["--JupyterWebsocketPersonality.list_kernels=True", "--KernelManager.shutdown_wait_time=1"],
      });
    });

    test("is killed in the middle of a cell: the cell says so, and so does the next start", async () => {
      const own = await startGateway("kernel gateway");
      const cwd = temporaryDirectory();
      const kernels = gatewayKernels(own, { reconnectLimitMs: 1_000 });
      const kernel = await kernels.start({ cwd });
      const error = await errorAfter(kernel, {
        act: () => own.kill(),
      });
      expect(error).toMatchObject({ kind: "died", code: "KERNEL_DIED" });
      expect(error.issue).toContain("did not come back in 1 second");
      expect(kernel.state).toBe("dead");
      expect(await kernelErrorOf(kernels.start({ cwd }))).toMatchObject({
        code: "GATEWAY_UNREACHABLE",
      });
      // Its kernel would end a moment later by itself.
      killGroup(kernel.facts.pid, "SIGKILL");
    });

    test("ends an idle kernel: the next cell says that it was ended, and a new kernel works", async () => {
      const cwd = temporaryDirectory();
      const kernels = gatewayKernels(gateway);
      const kernel = await kernels.start({ cwd });
      await rest(gateway, "DELETE", `api/kernels/${kernel.id}`);
      const error = await kernelErrorOf(runCell(kernel, "1"));
      expect(error).toMatchObject({ kind: "died" });
      expect(error.issue).toContain("has ended it (404)");
      const another = await kernels.start({ cwd });
      expect((await runCell(another, "1 + 1")).value).toBe("2");
    });

    test("ends a kernel in the middle of a cell without a word: the cell says so", async () => {
      const kernels = gatewayKernels(gateway);
      const kernel = await kernels.start({ cwd: temporaryDirectory() });
      const error = await errorAfter(kernel, {
        act: () => rest(gateway, "DELETE", `api/kernels/${kernel.id}`),
      });
      expect(error.issue).toContain("has ended it (404)");
    });

    test("starts a kernel anew for somebody else: its state is gone, and that is said", async () => {
      const kernels = gatewayKernels(gateway);
      const kernel = await kernels.start({ cwd: temporaryDirectory() });
      await rest(gateway, "POST", `api/kernels/${kernel.id}/restart`);
      const error = await kernelErrorOf(runCell(kernel, "1"));
      expect(error.message).toBe(
        "python: the kernel died: the gateway started an empty one in its place (KERNEL_DIED)",
      );
    });

    test("has a kernel that does not listen to interrupts: it is ended, and that is said", async () => {
      const kernels = gatewayKernels(gateway);
      const kernel = await kernels.start({ cwd: temporaryDirectory() });
      const abort = new AbortController();
      const error = await errorAfter(kernel, {
        code: deafCell,
        act: () => abort.abort(),
        signal: abort.signal,
      });
      expect(error.message).toBe(
        "python: the kernel was ended by omp: it did not respond to an interrupt (KERNEL_DIED)",
      );
      await kernels.close();
      // Its server kills it a moment after it was asked to.
      await until("the process is gone", () => !existsSync(`/proc/${kernel.facts.pid}`));
    });

    test("that is slow to start a kernel is waited for as long as the setting says; the late kernel is ended", async () => {
      const released = Promise.withResolvers<void>();
      const slow = fakeGateway(async ({ method, path }) => {
        if (path === "/api/kernelspecs") return kernelSpecsAnswer();
        if (method === "POST") await released.promise;
        return method === "DELETE"
          ? new Response(null, { status: 204 })
          : Response.json({ id: "k-late", name: "python3" }, { status: 201 });
      });
      const place = { url: slow.url, token: "t", kind: "kernel gateway" as const };
      const kernels = gatewayKernels(place, { startTimeoutMs: 2_000 });
      const error = await kernelErrorOf(kernels.start({ cwd: temporaryDirectory() }));
      expect(error).toMatchObject({ kind: "start-failed", code: "KERNEL_START_TIMEOUT" });
      expect(error.issue).toContain("python.startTimeout");
      released.resolve();
      const removal = await until("the late kernel is ended", () =>
        slow.seen.find(({ method }) => method === "DELETE"),
      );
      expect(removal.path).toBe("/api/kernels/k-late");
    });

    test("answers with a web page: the start says what that means", async () => {
      const page = fakeGateway(
        () => new Response("<!doctype html><title>Hub</title>", { headers: { "Content-Type": "text/html" } }),
      );
      const kernels = gatewayKernels({ url: page.url, token: "t", kind: "kernel gateway" });
      const error = await kernelErrorOf(kernels.start({ cwd: temporaryDirectory() }));
      expect(error).toMatchObject({ kind: "gateway", code: "GATEWAY_NOT_JSON" });
    });

    test("has no such kernelspec: those that it has are named", async () => {
      const kernels = gatewayKernels(gateway, { kernelSpec: "julia-9" });
      const error = await kernelErrorOf(kernels.start({ cwd: temporaryDirectory() }));
      expect(error.message).toBe(
        "python: gateway kernel-gateway has no kernelspec julia-9: it has python3; python.kernelSpec names one (KERNELSPEC_NOT_FOUND)",
      );
    });

    test("keeps no kernel whose start was aborted, or whose omp has ended", async () => {
      const before = await idsIn(gateway);
      const cwd = temporaryDirectory();
      const kernels = gatewayKernels(gateway);
      const abort = new AbortController();
      const start = kernels.start({ cwd, signal: abort.signal });
      abort.abort(new Error("never mind"));
      await expect(start).rejects.toThrow("never mind");
      await kernels.start({ cwd });
      await kernels.close();
      while ((await idsIn(gateway)).some((id) => !before.includes(id))) await Bun.sleep(50);
    });
  },
  packages,
);

describe("a wrong token", () => {
  for (const kind of [
    "kernel gateway",
    "jupyter server",
    "enterprise gateway",
  ] as const satisfies GatewayKind[]) {
    const needs = gatewayNeeds(kind);
    describeWithPython(
      needs.python,
      kind,
      () => {
        test("is told as such, and shown nowhere", async () => {
          const { url, token, log } = await startGateway(kind);
          const lines: string[] = [];
          const wrong = "wr0ng-t0ken";
          const kernels = gatewayKernels({ url, kind, token: wrong }, { trace: (line) => lines.push(line) });
          const error = await kernelErrorOf(kernels.start({ cwd: temporaryDirectory() }));
          expect(error.kind).toBe("gateway");
          expect(error.issue).toContain("the gateway rejected the token");
          const texts = [error.message, ...lines, await Bun.file(log).text()].join("\n");
          expect(texts).not.toContain(wrong);
          expect(texts).not.toContain(token);
        });
      },
      needs.packages,
    );
  }
});
