/**
 * The kernel compared with jupyter_client, on the same interpreter in the same run: `npm run bench -- kernel`.
 *
 * Peers take turns, so that load on the machine affects both. Every row has a limit; the exit code is 0 if all are met.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Kernel } from "../src/kernel/kernel.ts";
import { LocalKernels } from "../src/kernel/local/local-kernels.ts";
import { KernelPool } from "../src/kernel/pool/pool.ts";
import { ArtifactStore } from "../src/output/artifacts.ts";
import { describeLoan } from "../src/python/loan.ts";
import { probeInterpreter } from "../src/python/probe.ts";
import { pythonTool } from "../src/tools/python/python.ts";
import { median, Report } from "./report.ts";

const python = process.argv[2] ?? resolve(import.meta.dir, "../.venv/bin/python");
const home = mkdtempSync(join(tmpdir(), "omp-bench-"));
const env = { PATH: process.env["PATH"] ?? "", HOME: home };
const report = new Report(`kernel, ${python}`);

/** An environment of the same Python without a package, which is lent those of the first. */
async function lentPackages() {
  const bare = join(home, "bare");
  Bun.spawnSync([python, "-m", "venv", "--without-pip", bare]);
  const path = join(bare, "bin", "python");
  const { paths: lenderPaths } = await probeInterpreter(python, { env });
  const loan = await describeLoan(path, { env, cacheFile: undefined, lenderPaths });
  if ("problem" in loan) throw new Error(`${path} ${loan.problem}`);
  return { python: path, loan };
}

function newKernels({
  fork,
  lent,
}: {
  fork: boolean;
  lent?: Awaited<ReturnType<typeof lentPackages>>;
}): LocalKernels {
  return new LocalKernels({
    ...(lent ?? { python }),
    env,
    transport: "auto",
    useForkServer: fork,
    startTimeoutMs: 60_000,
    runtimeBases: [tmpdir()],
    extensionModules: () => [],
  });
}

/** jupyter_client in its own process, which answers each command with one line. */
class Peer {
  readonly #child = Bun.spawn([python, join(import.meta.dir, "jupyter_client_peer.py")], {
    stdin: "pipe",
    stdout: "pipe",
    env,
  });
  readonly #lines = this.#read();

  async #answer(command: string): Promise<{ ms: number; characters: number }> {
    this.#child.stdin.write(`${command}\n`);
    this.#child.stdin.flush();
    const line = await this.#lines.next();
    return JSON.parse(String(line.value));
  }

  async start(): Promise<number> {
    return (await this.#answer("start")).ms;
  }

  async run(code: string): Promise<{ ms: number; characters: number }> {
    return await this.#answer(`run ${JSON.stringify(code)}`);
  }

  async close(): Promise<void> {
    await this.#child.stdin.end();
    await this.#child.exited;
  }

  async *#read(): AsyncGenerator<string> {
    let pending = "";
    for await (const chunk of this.#child.stdout) {
      pending += Buffer.from(chunk).toString();
      const lines = pending.split("\n");
      pending = lines.pop() ?? "";
      yield* lines;
    }
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function runIn(kernel: Kernel, code: string): Promise<number> {
  let characters = 0;
  for await (const { header, content } of kernel.execute(code)) {
    if (header.msg_type === "stream") characters += String(content["text"]).length;
  }
  return characters;
}

const peer = new Peer();

// Starts: ours plain, theirs, ours forked.
{
  const ours: number[] = [];
  const plain: number[] = [];
  const theirs: number[] = [];
  const forked: number[] = [];
  const lent = await lentPackages();
  const lentPlain: number[] = [];
  const lentForked: number[] = [];
  const warm = newKernels({ fork: true });
  const warmLent = newKernels({ fork: true, lent });
  await warm.warmUp();
  await warmLent.warmUp();
  const plainStart = async (kernels: LocalKernels) => {
    const ms = await timed(() => kernels.start({ cwd: home }));
    await kernels.close();
    return ms;
  };
  const forkedStart = async (kernels: LocalKernels) => {
    const starting = Promise.withResolvers<Awaited<ReturnType<LocalKernels["start"]>>>();
    const ms = await timed(async () => starting.resolve(await kernels.start({ cwd: home })));
    // Otherwise its end would be in the time of the next one.
    await (await starting.promise).shutdown();
    return ms;
  };
  for (let round = 0; round < 9; round += 1) {
    theirs.push(await peer.start());
    ours.push(await plainStart(newKernels({ fork: false })));
    plain.push(ours.at(-1) ?? 0);
    lentPlain.push(await plainStart(newKernels({ fork: false, lent })));
    forked.push(await forkedStart(warm));
    lentForked.push(await forkedStart(warmLent));
  }
  await warm.close();
  await warmLent.close();
  report.atMost("first kernel ready", { ours: median(ours), peer: median(theirs), factor: 1.0, unit: "ms" });
  report.atMost("second kernel ready (fork server)", {
    ours: median(forked),
    peer: median(plain),
    factor: 0.25,
    unit: "ms",
    peerName: "plain ipykernel_launcher",
  });
  const own = { factor: 1.1, unit: "ms", peerName: "an ipykernel of its own" };
  report.atMost("first kernel ready, lent ipykernel", {
    ours: median(lentPlain),
    peer: median(plain),
    ...own,
  });
  report.atMost("second kernel ready (fork server), lent ipykernel", {
    ours: median(lentForked),
    peer: median(forked),
    ...own,
  });
}

const kernels = newKernels({ fork: false });
const kernel = await kernels.start({ cwd: home });
await peer.start();

// Requests of the terminal UI while the user types code.
{
  const complete = async (code: string) =>
    await timed(() => kernel.ask("complete_request", { code, cursor_pos: code.length }));
  const first = await complete("impo");
  await runIn(kernel, "import os");
  const later: number[] = [];
  for (let round = 0; round < 100; round += 1) later.push(await complete("os.pa"));
  const whole = await timed(() => kernel.ask("is_complete_request", { code: "for x in y:" }));
  report.limit("first completion of a kernel", { value: first, limit: 500, unit: "ms" });
  report.limit("a completion", { value: median(later), limit: 100, unit: "ms" });
  report.note("whether code is complete", `${whole.toFixed(1)} ms`);
}

{
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 500; round += 1) {
    ours.push(await timed(() => runIn(kernel, "pass")));
    theirs.push((await peer.run("pass")).ms);
  }
  report.atMost("pass, median of 500", { ours: median(ours), peer: median(theirs), factor: 0.6, unit: "ms" });
}

const printLoop = "for i in range(10**6): print(i)";
const artifacts = new ArtifactStore({
  directory: join(home, "artifacts"),
  maxTotalBytes: 5e9,
  maxAgeMs: 1e9,
});
const pool = new KernelPool({ host: kernels, mode: "session", idleMs: 0, maxSessions: 4 });
const tool = pythonTool({ kernels: async () => pool, artifacts: () => artifacts });
async function callTool(code: string, timeout = 600) {
  return await tool.run(
    { cells: [{ code }], timeout },
    {
      sessionId: "bench",
      cwd: home,
      projectRoot: home,
      signal: new AbortController().signal,
      onUpdate: () => undefined,
    },
  );
}
await callTool("pass");

{
  const startedAt = performance.now();
  const result = await callTool(printLoop);
  const ours = performance.now() - startedAt;
  const theirs = (await peer.run(printLoop)).ms;
  report.atMost("10^6 print(i), through the python tool", { ours, peer: theirs, factor: 0.5, unit: "ms" });
  const text = readFileSync(artifacts.find(String(result.details.artifact)) ?? "", "utf8");
  const whole = text === `${Array.from({ length: 10 ** 6 }, (_, index) => index).join("\n")}\n`;
  report.holds("every one of 10^6 lines is in the artifact", whole);
}

{
  const write = "import sys; _ = sys.stdout.write('x' * 100_000_000)";
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    ours.push(await timed(() => runIn(kernel, write)));
    theirs.push((await peer.run(write)).ms);
  }
  const rate = (ms: number) => 100_000 / ms;
  report.atLeast("one 100 MB write", {
    ours: rate(median(ours)),
    peer: rate(median(theirs)),
    factor: 1.5,
    unit: "MB/s",
  });
}

{
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const result = await callTool(
    "line = 'y' * 99 + '\\n'\nfor _ in range(10_000): print(line * 1000, end='')",
  );
  clearInterval(watch);
  report.limit("1 GB streamed: growth of memory", { value: (most - before) / 1e6, limit: 96, unit: "MB" });
  const size = statSync(artifacts.find(String(result.details.artifact)) ?? "").size;
  report.holds("1 GB streamed: every byte is in the artifact", size === 1e9);
}

{
  const times: number[] = [];
  await runIn(kernel, "kept = 41");
  for (let round = 0; round < 10; round += 1) {
    const abort = new AbortController();
    let abortedAt = 0;
    for await (const { header, content } of kernel.execute("print('on', flush=True)\nwhile True: pass", {
      signal: abort.signal,
    })) {
      if (header.msg_type !== "stream" || !String(content["text"]).includes("on")) continue;
      abortedAt = performance.now();
      abort.abort();
    }
    times.push(performance.now() - abortedAt);
  }
  report.limit("interrupt of while True → result, slowest of 10", {
    value: Math.max(...times),
    limit: 300,
    unit: "ms",
  });
  const after = await runIn(kernel, "print(kept + 1)");
  report.holds("the next cell runs with its state", after === "42\n".length);
}

await peer.close();
await pool.close();
await kernels.close();
rmSync(home, { recursive: true, force: true });
process.exitCode = report.print();
