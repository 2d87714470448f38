/**
 * Kernels in one gateway compared with local kernels: `npm run bench -- gateway [python] [counts]`.
 *
 * For 1, 10 and 50 kernels that are started at the same moment: the time until all of them are ready, the round trip of `pass`
 * while all of them are alive, and the memory of each. The gateway is omp's shared gateway (jupyter_kernel_gateway).
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { GatewayKernels } from "../src/kernel/gateway/gateway-kernels.ts";
import { SharedGateway } from "../src/kernel/gateway/shared/shared-gateway.ts";
import { stopGateway } from "../src/kernel/gateway/shared/stop.ts";
import type { Kernel, KernelHost } from "../src/kernel/kernel.ts";
import { LocalKernels } from "../src/kernel/local/local-kernels.ts";
import { sharedWatchdog } from "../src/process/watchdog.ts";
import { median, Report } from "./report.ts";

const python = resolve(process.argv[2] ?? join(import.meta.dir, "../.venv/bin/python"));
const counts = (process.argv[3] ?? "1,10,50").split(",").map(Number);
const home = mkdtempSync(join(tmpdir(), "omp-bench-"));
const directory = join(home, "python-gateway");
const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8" };
const START_TIMEOUT_MS = 600_000;
const ROUNDS = 200;

const report = new Report(
  `gateway, ${python}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
);

/** Kernels that were started at the same moment. */
class Flock {
  readonly #times: number[] = [];

  private constructor(
    readonly host: KernelHost,
    readonly kernels: readonly Kernel[],
    /** Time until the last of them was ready. */
    readonly startMs: number,
  ) {}

  static async start(count: number, host: KernelHost): Promise<Flock> {
    const startedAt = performance.now();
    const starts = Array.from({ length: count }, () => host.start({ cwd: home }));
    return new Flock(host, await Promise.all(starts), performance.now() - startedAt);
  }

  async pass(round: number): Promise<void> {
    const kernel = this.kernels[round % this.kernels.length];
    if (kernel) this.#times.push(await passIn(kernel));
  }

  get roundTripMs(): number {
    return median(this.#times);
  }

  /** Proportional: memory shared by several kernels is counted once. */
  get kernelMb(): number {
    const memory = this.kernels.map(({ facts }) => proportionalMb(facts.pid));
    return memory.reduce((sum, each) => sum + each, 0) / memory.length;
  }
}

async function passIn(kernel: Kernel): Promise<number> {
  const startedAt = performance.now();
  for await (const _message of kernel.execute("pass")) {
    // Only the time matters.
  }
  return performance.now() - startedAt;
}

function proportionalMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}

function localKernels(): LocalKernels {
  return new LocalKernels({
    python,
    env,
    transport: "auto",
    useForkServer: false,
    startTimeoutMs: START_TIMEOUT_MS,
    runtimeBases: [tmpdir()],
    extensionModules: () => [],
  });
}

const shared = new SharedGateway({
  directory,
  python,
  env,
  socketBases: [tmpdir()],
  startTimeoutMs: START_TIMEOUT_MS,
});
const gatewayStart = performance.now();
const lease = await shared.acquire();
report.note("the gateway itself: start", `${Math.round(performance.now() - gatewayStart)} ms`);
report.note("the gateway itself: memory without kernels", `${proportionalMb(lease.pid).toFixed(0)} MB`);

const made: string[] = [];

function gatewayKernels(): GatewayKernels {
  const { url, token } = lease;
  return new GatewayKernels({
    gateway: { name: "bench", url, token },
    kernelEnv: {},
    env: {},
    startTimeoutMs: START_TIMEOUT_MS,
    extensionModules: () => [],
    files: "shared",
    // The gateway ends kernels that no omp owns.
    onMade: (id) => {
      made.push(id);
      lease.ownKernels(made);
    },
  });
}

try {
  for (const count of counts) {
    // Both are alive at the same time and take turns, so that load on the machine affects both.
    const direct = await Flock.start(count, localKernels());
    const remote = await Flock.start(count, gatewayKernels());
    for (let round = 0; round < ROUNDS; round += 1) {
      await direct.pass(round);
      await remote.pass(round);
    }
    const name = count === 1 ? "1 kernel" : `${count} kernels`;
    const row = (what: string, pick: (flock: Flock) => number, unit: string) => {
      const [theirs, ours] = [pick(direct), pick(remote)];
      const figures = `${show(ours)} ${unit} = ${(ours / theirs).toFixed(2)} × ZeroMQ (${show(theirs)} ${unit})`;
      report.note(`${name}: ${what}`, figures);
    };
    row("until all are ready", ({ startMs }) => startMs, "ms");
    row("round trip of pass", ({ roundTripMs }) => roundTripMs, "ms");
    // Messages that wait for each other's acknowledgement cost 40 ms: that must not happen again.
    const limit = { value: remote.roundTripMs - direct.roundTripMs, limit: 30, unit: "ms" };
    if (count === 1) report.limit("1 kernel: round trip beyond ZeroMQ's", limit);
    row("memory per kernel", ({ kernelMb }) => kernelMb, "MB");
    report.note(`${name}: memory of the gateway`, `${proportionalMb(lease.pid).toFixed(0)} MB`);
    await Promise.all([direct.host.close(), remote.host.close()]);
  }
} finally {
  lease.release();
  await stopGateway({ directory, force: true, signal: AbortSignal.timeout(30_000) });
  await sharedWatchdog().close();
  rmSync(home, { recursive: true, force: true });
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

process.exitCode = report.print();
