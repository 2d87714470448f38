/**
 * Calls that cells make, compared with the round trip of an empty cell and with the time that the answers themselves take:
 * `npm run bench -- bridge`.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openServices } from "../src/app/services.ts";
import { callTool } from "../src/app/tool-call.ts";
import { openModel } from "../src/models/open-model.ts";
import { median, Report } from "./report.ts";

const venv = process.argv[2] ?? resolve(import.meta.dir, "../.venv");
const CALLS = 300;
const MCP_CALLS = 1_000;
const PROMPTS = 1_000;
const CONCURRENCY = 16;
const ANSWER_MS = 50;
const BYTES_PER_MB = 1_048_576;

const home = mkdtempSync(join(tmpdir(), "omp-bench-"));
const cwd = join(home, "project");
mkdirSync(cwd);
writeFileSync(join(cwd, "small.txt"), "a small file\n");
const mcpServer = {
  command: "node",
  args: [resolve(import.meta.dir, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js")],
};
mkdirSync(join(home, ".omp", "agent"), { recursive: true });
writeFileSync(
  join(home, ".omp", "agent", "omp-mcp.json"),
  JSON.stringify({ mcpServers: { every: mcpServer } }),
);
const env = { PATH: process.env["PATH"] ?? "", HOME: home, VIRTUAL_ENV: venv };

const server = Bun.spawn([process.execPath, join(import.meta.dir, "slow-model.ts")], { stdout: "pipe" });
const port = await firstLine(server.stdout);
const address = `http://127.0.0.1:${port}`;
const model = await openModel("ollama/test-model", { env: { OLLAMA_HOST: address }, cwd, endpoints: [] });

const services = await openServices({ env, cwd }, { stderr: (text) => process.stderr.write(text) });
const report = new Report(`calls from cells, ${venv}`);
try {
  await measureCalls();
  await measureMcp();
  await measureMap();
  await measureInterrupt();
} finally {
  await services.close();
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = report.print();

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk).trim();
  throw new Error("the server did not start");
}

async function run(code: string, signal = new AbortController().signal): Promise<string> {
  const { output } = await callTool(services, {
    ...{ name: "python", input: { cells: [{ code }], timeout: 600 }, signal, dryRun: false },
    ...{ onUpdate: () => undefined, onBug: (text: string) => process.stderr.write(text) },
    openModel: async () => model,
  });
  return output;
}

/** Both in turns, so that load on the machine affects both. */
async function measureCalls(): Promise<void> {
  const pool = await services.python.kernels();
  const { signal } = new AbortController();
  const passes: number[] = [];
  const reads: number[] = [];
  await run("import time; omp.tools.read(path='small.txt')");
  for (let round = 0; round < 6; round += 1) {
    await pool.look({ sessionId: services.context.sessionId, cwd, signal }, async (kernel) => {
      for (let n = 0; n < CALLS / 6; n += 1) {
        const before = performance.now();
        for await (const _ of kernel.execute("pass"));
        passes.push(performance.now() - before);
      }
    });
    const code = `took = []\nfor _ in range(${CALLS / 6}):\n    before = time.perf_counter()\n    omp.tools.read(path='small.txt')\n    took.append(time.perf_counter() - before)\nprint(took)`;
    reads.push(...JSON.parse(await run(code)).map((seconds: number) => seconds * 1_000));
  }
  report.atMost("omp.tools.read of a small file", {
    ours: median(reads),
    peer: median(passes),
    peerName: "`pass`",
    factor: 3,
    unit: "ms",
  });
}

/** The same server and the same calls, by the SDK's client alone and from one cell: in turns, so that load affects both. */
async function measureMcp(): Promise<void> {
  await services.mcp?.ready(new AbortController().signal);
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ ...mcpServer, stderr: "ignore" }));
  const bare: number[] = [];
  const cell: number[] = [];
  await run("omp.mcp.every.echo(message='warm')");
  for (let round = 0; round < 3; round += 1) {
    const before = performance.now();
    for (let n = 0; n < MCP_CALLS; n += 1)
      await client.callTool({ name: "echo", arguments: { message: `m${n}` } });
    bare.push((performance.now() - before) / MCP_CALLS);
    const code = `before = time.perf_counter()\nfor n in range(${MCP_CALLS}):\n    echoed = omp.mcp.every.echo(message=f'm{n}')\nprint((time.perf_counter() - before) * 1000, echoed.text)`;
    const [ms = "", ...echoed] = (await run(code)).trim().split(/\s+/);
    if (echoed.join(" ") !== `Echo: m${MCP_CALLS - 1}`) throw new Error(`a call failed: ${ms} ${echoed}`);
    cell.push(Number(ms) / MCP_CALLS);
  }
  await client.close();
  const [ours, peer] = [median(cell), median(bare)];
  report.note(
    `a call of ${MCP_CALLS} MCP calls`,
    `${ours.toFixed(2)} ms; the bare client ${peer.toFixed(2)} ms`,
  );
  report.limit("one of them from a cell, over the bare client", { value: ours - peer, limit: 2, unit: "ms" });
}

function mapCell(count: number): string {
  return `before = time.perf_counter()\nanswers = omp.llm.map(range(${count}), 'say', concurrency=${CONCURRENCY})\nprint(answers.count('fine'), (time.perf_counter() - before) * 1000)`;
}

async function measureMap(): Promise<void> {
  await run(mapCell(100));
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const words = (await run(mapCell(PROMPTS))).trim().split(/\s+/).slice(-2).map(Number);
    const [fine = 0, ms = Number.NaN] = words;
    if (fine !== PROMPTS) throw new Error(`${PROMPTS - fine} of ${PROMPTS} prompts failed`);
    times.push(ms);
    Bun.gc(true);
    memory.push(process.memoryUsage().rss / BYTES_PER_MB);
  }
  report.atMost(`omp.llm.map of ${PROMPTS} prompts`, {
    ours: median(times),
    peer: (PROMPTS * ANSWER_MS) / CONCURRENCY,
    peerName: "the ideal",
    factor: 1.3,
    unit: "ms",
  });
  const growth = (memory.at(-1) ?? Number.NaN) - (memory[0] ?? Number.NaN);
  report.limit("memory after two more of them", { value: growth, limit: 16, unit: "MB" });
}

async function measureInterrupt(): Promise<void> {
  const interrupted = new AbortController();
  const running = run(mapCell(PROMPTS), interrupted.signal);
  while ((await openRequests()) < CONCURRENCY / 2) await Bun.sleep(5);
  const before = performance.now();
  interrupted.abort();
  while ((await openRequests()) > 0) await Bun.sleep(2);
  const closed = performance.now() - before;
  await running;
  report.limit("interrupted: all requests closed", { value: closed, limit: 300, unit: "ms" });
}

async function openRequests(): Promise<number> {
  return Number(await (await fetch(`${address}/open`)).text());
}
