/**
 * The agent with a model on loopback: the time of a headless answer, the time between a call and its result, the size of the
 * first request, and the effect of 500 calls on memory and on resuming. Runs the bundle through the launcher, as a user would.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { SessionStore } from "../src/history/store.ts";
import { LoopbackModel, type ToolCall } from "./loopback-model.ts";
import { median, Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const bun = process.execPath;
const launcher = join(root, "bin", "omp");
const ROUNDS = 15;
const CALLS = 30;
/** The fastest peer took 286 ms where `bun -e 0` took 4 ms; ours may take half of that. */
const PEER_FACTOR = 0.5 * (286 / 4);

await buildBundle(root);
const directory = mkdtempSync(join(tmpdir(), "omp-bench-agent-"));
const home = join(directory, "home");
const project = join(directory, "project");
mkdirSync(join(home, ".omp", "agent"), { recursive: true });
mkdirSync(project);
using model = new LoopbackModel();
// The context is large enough for 500 results, so nothing is compacted.
const endpoint = {
  name: "loopback",
  baseUrl: model.url,
  models: [{ id: "bench", contextTokens: 10_000_000 }],
};
writeFileSync(join(home, ".omp", "agent", "omp.jsonc"), JSON.stringify({ endpoints: [endpoint] }));
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  LANG: "C.UTF-8",
  VIRTUAL_ENV: join(root, ".venv"),
};
const report = new Report(`agent, median of ${ROUNDS} runs or ${CALLS} calls`);

function start(args: readonly string[]) {
  return Bun.spawn([launcher, "-p", "-m", "loopback/bench", ...args], {
    cwd: project,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function run(args: readonly string[]): Promise<{ ms: number; stdout: string }> {
  const before = performance.now();
  const child = start(args);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`omp ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  return { ms: performance.now() - before, stdout };
}

async function timeBareBun(): Promise<number> {
  const before = performance.now();
  await Bun.spawn([bun, "-e", "0"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).exited;
  return performance.now() - before;
}

async function measureHeadlessAnswer(): Promise<void> {
  const ours: number[] = [];
  const peer: number[] = [];
  // The first round fills caches (the interpreter's facts among them) and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await timeBareBun();
    const { ms, stdout } = await run(["Say hello."]);
    if (stdout !== "Hello\n") throw new Error(`unexpected answer: ${stdout}`);
    if (round === 0) continue;
    peer.push(bare);
    ours.push(ms);
  }
  report.atMost("a headless answer", {
    ours: median(ours),
    peer: median(peer),
    peerName: "bun -e 0",
    factor: Number(PEER_FACTOR.toFixed(1)),
    unit: "ms",
  });
  report.limit("the first request, default tools", {
    value: model.requests[0]?.bytes ?? Number.NaN,
    limit: 13_000,
    unit: "bytes",
  });
}

/** No two calls are equal: omp stops a model that repeats itself. */
function manyCalls(count: number, call: (index: number) => ToolCall): ToolCall[] {
  return Array.from({ length: count }, (_, index) => call(index));
}

async function measureCalls(name: string, call: (index: number) => ToolCall): Promise<void> {
  // The first call starts the shell or the kernel.
  model.script(manyCalls(CALLS + 1, call));
  await run(["Go."]);
  const gaps = model.gaps().slice(1);
  report.limit(`${name}: asked → result sent back`, { value: median(gaps), limit: 10, unit: "ms" });
}

const FIRST_ROUNDS = 9;
/** What a quick model takes before it answers. */
const THINKING_MS = 1_000;

/** The first call of a process, which starts the shell or the kernel unless that has happened while the model thought. */
async function measureFirstCall(name: string, call: ToolCall, limit: number): Promise<void> {
  const gaps: number[] = [];
  model.thinkingMs = THINKING_MS;
  for (let round = 0; round <= FIRST_ROUNDS; round += 1) {
    model.script([call]);
    await run(["Go."]);
    // The first round fills caches.
    if (round > 0) gaps.push(...model.gaps());
  }
  model.thinkingMs = 0;
  report.limit(`${name}, the first of a process, after ${THINKING_MS} ms of thinking`, {
    value: median(gaps),
    limit,
    unit: "ms",
  });
}

const MANY_CALLS = 500;

/** How much memory a session of 500 calls takes beyond its first 50. */
async function measureGrowthMb(command: string): Promise<number> {
  const memory: number[] = [];
  const calls = manyCalls(MANY_CALLS, (n) => ({ name: "bash", input: { command: `${command} # ${n}` } }));
  model.script(calls, () => memory.push(residentMb(child.pid)));
  const child = start(["Go.", "--max-turns", "1000"]);
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  model.script([]);
  // Medians around call 50 and at the end: a single sample may fall right before a garbage collection.
  return median(memory.slice(-50)) - median(memory.slice(25, 75));
}

async function measureLongSession(): Promise<void> {
  report.limit(`memory from call 50 to call ${MANY_CALLS}`, {
    value: await measureGrowthMb("seq 50"),
    limit: 64,
    unit: "MB",
  });
  // The whole conversation is sent with every call: 600 MB in all.
  report.limit("the same with 2 KB of output per call", {
    value: await measureGrowthMb("seq 500"),
    limit: 64,
    unit: "MB",
  });
  const [session] = new SessionStore({ sessions: join(home, ".omp", "agent", "omp-sessions") }).list();
  report.note("its log", `${((session?.bytes ?? 0) / 1e6).toFixed(1)} MB`);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push((await run(["And now?", "--continue"])).ms);
  report.limit(`a whole run that resumes those ${MANY_CALLS} calls`, {
    value: median(times),
    limit: 500,
    unit: "ms",
  });
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1000;
}

function measureListing(): void {
  const store = new SessionStore({ sessions: join(directory, "many") });
  for (let index = 0; index < 1_000; index += 1) {
    const log = store.create(project);
    log.append({
      type: "user",
      message: {
        role: "user",
        origin: { kind: "typed" },
        content: [{ type: "text", text: `prompt ${index}` }],
      },
    });
    log.close();
  }
  const times = Array.from({ length: ROUNDS }, () => {
    const before = performance.now();
    if (store.list().length !== 1_000) throw new Error("sessions are missing");
    return performance.now() - before;
  });
  report.limit("a list of 1,000 sessions", { value: median(times), limit: 200, unit: "ms" });
}

try {
  await measureHeadlessAnswer();
  await measureFirstCall("bash `echo hi`", { name: "bash", input: { command: "echo hi" } }, 26);
  await measureFirstCall(
    "python `print(1)`",
    { name: "python", input: { cells: [{ code: "print(1)" }] } },
    50,
  );
  if (process.argv.includes("first")) process.exit(report.print());
  await measureCalls("bash `echo hi`", (n) => ({ name: "bash", input: { command: `echo hi # ${n}` } }));
  await measureCalls("python `print(1)`", (n) => ({
    name: "python",
    input: { cells: [{ code: `print(1) # ${n}` }] },
  }));
  await measureLongSession();
  measureListing();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();
