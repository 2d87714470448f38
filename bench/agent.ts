/**
 * The agent against a model on loopback: how quick a headless answer is, what lies between a call and its result, how large the
 * first request is, and what 500 calls do to memory and to a resume. Everything runs the bundle through the launcher, as a user would.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { SessionStore } from "../src/history/store.ts";
import { LoopbackModel, type ToolCall } from "./loopback-model.ts";
import { median, Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const bun = join(root, "node_modules", "bun", "bin", "bun.exe");
const launcher = join(root, "bin", "omp");
const rounds = 15;
const calls = 30;
/** The quickest peer took 286 ms where `bun -e 0` took 4 ms; ours may take half of that. */
const peerFactor = 0.5 * (286 / 4);

await buildBundle(root);
const place = mkdtempSync(join(tmpdir(), "omp-bench-agent-"));
const home = join(place, "home");
const project = join(place, "project");
mkdirSync(join(home, ".omp", "agent"), { recursive: true });
mkdirSync(project);
using model = new LoopbackModel();
// A context that 500 results fit into: nothing is summed up.
const endpoint = {
  name: "loopback",
  baseUrl: model.url,
  models: [{ id: "bench", contextTokens: 10_000_000 }],
};
writeFileSync(join(home, ".omp", "agent", "settings.json"), JSON.stringify({ endpoints: [endpoint] }));
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  LANG: "C.UTF-8",
  VIRTUAL_ENV: join(root, ".venv"),
};
const report = new Report(`agent, median of ${rounds} runs or ${calls} calls`);

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

async function bareBun(): Promise<number> {
  const before = performance.now();
  await Bun.spawn([bun, "-e", "0"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).exited;
  return performance.now() - before;
}

async function headlessAnswer(): Promise<void> {
  const ours: number[] = [];
  const peer: number[] = [];
  // The first round fills caches (the interpreter's facts among them) and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const bare = await bareBun();
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
    factor: Number(peerFactor.toFixed(1)),
    unit: "ms",
  });
  report.limit("the first request, default tools", {
    value: model.requests[0]?.bytes ?? Number.NaN,
    limit: 12_000,
    unit: "bytes",
  });
}

async function callTimes(name: string, call: ToolCall): Promise<void> {
  // The first call starts the shell or the kernel.
  model.script(Array(calls + 1).fill(call));
  await run(["Go."]);
  const gaps = model.gaps().slice(1);
  report.limit(`${name}: asked → result sent back`, { value: median(gaps), limit: 10, unit: "ms" });
}

const manyCalls = 500;

/** What a session of 500 calls grows by, after its first 50. */
async function growthMb(command: string): Promise<number> {
  const memory: number[] = [];
  model.script(Array(manyCalls).fill({ name: "bash", input: { command } }), () =>
    memory.push(residentMb(child.pid)),
  );
  const child = start(["Go.", "--max-turns", "1000"]);
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  model.script([]);
  // Around call 50 and at the end: a single look may meet the moment before a collection.
  return median(memory.slice(-50)) - median(memory.slice(25, 75));
}

async function longSession(): Promise<void> {
  report.limit(`memory from call 50 to call ${manyCalls}`, {
    value: await growthMb("seq 50"),
    limit: 64,
    unit: "MB",
  });
  // The whole conversation goes over the wire with every call: 600 MB in all.
  report.limit("the same with 2 KB of output a call", {
    value: await growthMb("seq 500"),
    limit: 64,
    unit: "MB",
  });
  const [session] = new SessionStore(join(home, ".omp", "agent", "sessions")).list();
  report.note("its log", `${((session?.bytes ?? 0) / 1e6).toFixed(1)} MB`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push((await run(["And now?", "--continue"])).ms);
  report.limit(`a whole run that resumes those ${manyCalls} calls`, {
    value: median(times),
    limit: 500,
    unit: "ms",
  });
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1000;
}

function listing(): void {
  const store = new SessionStore(join(place, "many"));
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
  const times = Array.from({ length: rounds }, () => {
    const before = performance.now();
    if (store.list().length !== 1_000) throw new Error("sessions are missing");
    return performance.now() - before;
  });
  report.limit("a list of 1,000 sessions", { value: median(times), limit: 200, unit: "ms" });
}

try {
  await headlessAnswer();
  await callTimes("bash `echo hi`", { name: "bash", input: { command: "echo hi" } });
  await callTimes("python `print(1)`", { name: "python", input: { cells: [{ code: "print(1)" }] } });
  await longSession();
  listing();
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.exitCode = report.print();
