/** Checkpoints and branches of live kernels: `npm run bench -- time [programs] [first seed]`. What fails names its seed. Every row has a limit; the exit code is 0 if all are met. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Kernel, ParkedKernel } from "../src/kernel/kernel.ts";
import { LocalKernels } from "../src/kernel/local/local-kernels.ts";
import { KernelPool } from "../src/kernel/pool/pool.ts";
import { memoryOf } from "../src/process/memory.ts";
import { runProgram } from "../test/contract/copied-programs.ts";
import { processesWith } from "../test/support/processes.ts";
import { median, Report } from "./report.ts";
import { runSeeds } from "./seeded-runs.ts";

const venv = resolve(import.meta.dir, "../.venv");
const home = mkdtempSync(join(tmpdir(), "omp-bench-"));
const signal = new AbortController().signal;
const report = new Report("time");
const MB = 1 << 20;
/** The default of python.checkpointMemoryMb. */
const CHECKPOINT_MEMORY = 2048 * MB;
const SETTLED_MS = 3_000;

function newKernels({ fork }: { fork: boolean }): LocalKernels {
  return new LocalKernels({
    python: join(venv, "bin/python"),
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
    transport: "auto",
    useForkServer: fork,
    forksFirst: fork,
    startTimeoutMs: 60_000,
    runtimeBases: [tmpdir()],
    extensionModules: () => [],
  });
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

async function run(kernel: Kernel, code: string): Promise<void> {
  for await (const { header, content } of kernel.execute(code))
    if (header.msg_type === "error") throw new Error(`${content["ename"]}: ${content["evalue"]}`);
}

async function park(kernel: Kernel): Promise<ParkedKernel> {
  const parking = await kernel.park?.(signal);
  if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
  return parking.parked;
}

/** Plain starts, checkpoints and branches take turns, so that load on the machine affects all of them. */
async function measureCopies(): Promise<void> {
  const kernels = newKernels({ fork: true });
  const kernel = await kernels.start({ cwd: home });
  await run(kernel, "import numpy, pandas\narrays = [numpy.ones(16 << 20) for _ in range(8)]");
  const [parking, waking, plain, own]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < 15; round += 1) {
    await run(kernel, `arrays[${round % 8}][0] = ${round}`);
    const parked = await timed(() => park(kernel));
    parking.push(parked.ms);
    const woken = await timed(() => parked.value.wake(signal));
    waking.push(woken.ms);
    own.push(((await parked.value.memory())?.privateBytes ?? Number.NaN) / MB);
    await woken.value.shutdown({ graceMs: 0 });
    parked.value.drop();
    await parked.value.exited;
    const others = newKernels({ fork: false });
    plain.push((await timed(() => others.start({ cwd: home }))).ms);
    await others.close();
  }
  await kernels.close();
  report.limit("a checkpoint beside pandas and 1 GB of arrays, median of 15", {
    value: median(parking),
    limit: 30,
    unit: "ms",
  });
  report.limit("its private memory, the most of 15", { value: Math.max(...own), limit: 12, unit: "MB" });
  report.atMost("a branch is woken", {
    ours: median(waking),
    peer: median(plain),
    factor: 0.5,
    unit: "ms",
    peerName: "a plain start",
  });
}

/** Cells of the model's, one after the other: with checkpoints, one is made when the last is older than a few seconds. */
async function measureCells(): Promise<void> {
  const kernels = newKernels({ fork: true });
  const pools = [0, 20].map((count) => {
    const checkpoints = { count, bytes: CHECKPOINT_MEMORY };
    return new KernelPool({ host: kernels, mode: "session", idleMs: 0, maxSessions: 4, checkpoints });
  });
  const [off, on]: [number[], number[]] = [[], []];
  for (let round = 0; round < 1000; round += 1) {
    for (const [index, pool] of pools.entries()) {
      const request = { sessionId: String(index), cwd: home, reset: false, signal };
      const { ms } = await timed(() => pool.use(request, ({ kernel }) => run(kernel, "pass")));
      (index === 0 ? off : on).push(ms);
    }
  }
  for (const pool of pools) await pool.close();
  await kernels.close();
  report.atMost("pass with checkpoints, median of 1000", {
    ours: median(on),
    peer: median(off),
    factor: 1.1,
    unit: "ms",
    peerName: "without",
  });
}

/** Of every process here, beyond the kernel's own. */
async function heldBesides(kernel: Kernel | undefined): Promise<number> {
  const own = await kernel?.memory?.();
  const family = await Promise.all(processesWith(`HOME=${home}`).map(memoryOf));
  const all = family.reduce((sum, memory) => sum + (memory?.proportionalBytes ?? 0), 0);
  return all - (own?.residentBytes ?? Number.NaN);
}

/** 50 prompts, each of which changes 200 MB of 2 GB: twenty checkpoints would hold twice the limit. */
async function measureMemory(): Promise<void> {
  const kernels = newKernels({ fork: true });
  const checkpoints = { count: 20, bytes: CHECKPOINT_MEMORY };
  const pool = new KernelPool({ host: kernels, mode: "session", idleMs: 0, maxSessions: 1, checkpoints });
  const session = { sessionId: "s", cwd: home };
  const use = (code: string) =>
    pool.use({ ...session, reset: false, signal }, ({ kernel }) => run(kernel, code));
  await use("import numpy\narrays = [numpy.ones(25 << 20) for _ in range(10)]");
  const kernel = pool.sessionOf(session)?.kernel;
  // The fork server.
  const before = await heldBesides(kernel);
  let [most, peak] = [0, 0];
  for (let prompt = 0; prompt < 50; prompt += 1) {
    await pool.history(session).checkpoint(signal);
    await use(`arrays[${prompt % 10}] += 1`);
    const held = async () => (await heldBesides(kernel)) - before;
    const atOnce = await held();
    peak = Math.max(peak, atOnce);
    // Counting pages takes a while, and so does giving up the oldest.
    if (atOnce > CHECKPOINT_MEMORY) await Bun.sleep(SETTLED_MS);
    most = Math.max(most, atOnce > CHECKPOINT_MEMORY ? await held() : atOnce);
  }
  await pool.close();
  await kernels.close();
  const what = "50 prompts in a kernel of 2 GB: what checkpoints hold besides";
  report.limit(`${what}, ${SETTLED_MS / 1000} s after a cell`, {
    value: most / MB,
    limit: CHECKPOINT_MEMORY / MB,
    unit: "MB",
  });
  report.note(`${what}, right after a cell`, `${Math.round(peak / MB)} MB`);
}

/** Random programs in kernels, copies of which do anything at all. */
async function runPrograms(count: number, first: number): Promise<void> {
  const kernels = newKernels({ fork: true });
  const broken = await runSeeds({ count, first }, (seed, directory) => {
    mkdirSync(directory);
    return runProgram(seed, kernels, directory);
  });
  await kernels.close();
  report.limit(`of ${count} programs, those that a branch has changed, or that came back as another`, {
    value: broken,
    limit: 0,
    unit: "programs",
  });
}

const [programs = "200", firstSeed = "1"] = process.argv.slice(2);
await runPrograms(Number(programs), Number(firstSeed));
await measureCopies();
await measureCells();
await measureMemory();
rmSync(home, { recursive: true, force: true });
process.exitCode = report.print();
