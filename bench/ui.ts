/**
 * The terminal UI: how soon the prompt is there, how quick a key shows, and what it costs when nothing happens, when a cell
 * prints at full speed, and in a long transcript. The bundle is measured, in a pty of its own.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { median, Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const bun = join(root, "node_modules", "bun", "bin", "bun.exe");
const main = await buildBundle(root);
const omp = [bun, "--no-env-file", "--config=/dev/null", main];
const home = mkdtempSync(join(tmpdir(), "omp-bench-"));
const project = join(home, "project");
mkdirSync(project);
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  VIRTUAL_ENV: join(root, ".venv"),
};
const PROMPT = "❯";
const report = new Report("terminal UI");

/** A program in a pty, and all that it sends. */
class Pty {
  readonly child: Bun.Subprocess;
  bytes = 0;
  #recent = "";
  #waiting: { readonly text: string; readonly found: () => void } | undefined;

  constructor(argv: readonly string[], extra: Record<string, string> = {}) {
    const decoder = new TextDecoder();
    this.child = Bun.spawn([...argv], {
      cwd: project,
      env: { ...env, ...extra },
      terminal: { cols: 120, rows: 40, data: (_, data) => this.#receive(decoder.decode(data), data.length) },
    });
  }

  #receive(text: string, bytes: number): void {
    this.bytes += bytes;
    this.#recent = (this.#recent + text).slice(-200_000);
    if (this.#waiting && this.#recent.includes(this.#waiting.text)) this.#waiting.found();
  }

  /** Milliseconds until the text came, in what was sent after this call. */
  async sees(text: string, act: () => void = () => undefined): Promise<number> {
    const { promise, resolve: found, reject } = Promise.withResolvers<void>();
    const before = performance.now();
    const limit = setTimeout(
      () => reject(new Error(`never saw ${text}:\n${this.#recent.slice(-2_000)}`)),
      60_000,
    );
    this.#recent = "";
    this.#waiting = { text, found };
    act();
    await promise;
    clearTimeout(limit);
    this.#waiting = undefined;
    return performance.now() - before;
  }

  /** Resolves when so many characters that can be read are on the screen. */
  async showsWords(count: number): Promise<void> {
    while (Bun.stripANSI(this.#recent).replace(/[^\p{L}]/gu, "").length < count) await Bun.sleep(2);
  }

  type(keys: string): void {
    this.child.terminal?.write(keys);
  }

  /** Milliseconds of processor time that it has used. */
  get cpuMs(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** What each thread has used, to the nanosecond: the clock that `cpuMs` is read from ticks a hundred times a second. */
  get threadMs(): Map<string, number> {
    const tasks = `/proc/${this.child.pid}/task`;
    const usedMs = (thread: string) =>
      Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    return new Map(readdirSync(tasks).map((thread) => [thread, usedMs(thread)]));
  }

  get pssMb(): number {
    const rollup = readFileSync(`/proc/${this.child.pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? Number.NaN) / 1000;
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.child.kill(signal);
    await this.child.exited;
    this.child.terminal?.close();
  }
}

const letters = "abcdefghijklmnoprstuvwxyz";

async function keyEcho(pty: Pty, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const letter = letters[i % letters.length] ?? "a";
    times.push(await pty.sees(letter, () => pty.type(letter)));
  }
  return median(times);
}

async function start(): Promise<void> {
  const [prompts, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round <= 10; round += 1) {
    const before = performance.now();
    await Bun.spawn([bun, "-e", "0"]).exited;
    const bareMs = performance.now() - before;
    const spawnedAt = performance.now();
    const pty = new Pty(omp);
    await pty.sees(PROMPT);
    const promptMs = performance.now() - spawnedAt;
    await pty.end();
    if (round === 0) continue;
    bare.push(bareMs);
    prompts.push(promptMs);
  }
  const [ours, peer] = [median(prompts), median(bare)];
  report.atMost("prompt visible", { ours, peer, factor: 50, unit: "ms", peerName: "bun -e 0" });
  for (const name of ["codex", "pi", "claude"]) await comparePeer(name, ours, peer);
}

/** Words of a peer's own, whatever they are: they come with its prompt, or before it. */
const FIRST_WORDS = 20;

/** Peers that are on PATH, in an empty home like ours: until their first words are on the screen, which flatters them. */
async function comparePeer(name: string, oursMs: number, bareMs: number): Promise<void> {
  const program = Bun.which(name);
  if (program === null) return;
  const times: number[] = [];
  for (let round = 0; round <= 5; round += 1) {
    const spawnedAt = performance.now();
    const pty = new Pty([program]);
    await pty.showsWords(FIRST_WORDS);
    if (round > 0) times.push(performance.now() - spawnedAt);
    await pty.end("SIGKILL");
  }
  const ms = median(times);
  const ratio = `omp needs ${(oursMs / ms).toFixed(2)} × of that`;
  report.note(
    `first words of ${name}`,
    `${ms.toFixed(0)} ms = ${(ms / bareMs).toFixed(1)} × bun -e 0; ${ratio}`,
  );
}

async function idle(): Promise<void> {
  const floor = new Pty(["sh", "-c", `stty raw -echo; printf '${PROMPT}'; exec cat`]);
  await floor.sees(PROMPT);
  const floorMs = await keyEcho(floor, 60);
  await floor.end();
  const pty = new Pty([...omp, "-m", "demo"], { PI_PY: "0" });
  await pty.sees("demo");
  const echoMs = await keyEcho(pty, 60);
  report.limit("key echo over the floor", { value: echoMs - floorMs, limit: 16, unit: "ms" });
  // What the typing left behind is collected first: Bun takes twenty seconds over it, waking once a second, and then rests.
  await Bun.sleep(30_000);
  const before = pty.threadMs;
  await Bun.sleep(10_000);
  const used = [...pty.threadMs].reduce((sum, [thread, ms]) => sum + ms - (before.get(thread) ?? 0), 0);
  // From then on nothing wakes but the allocator, now and then. Anything of ours that ticks is more.
  report.limit("idle processor use", { value: used / 100, limit: 0.05, unit: "%" });
  report.limit("idle memory (PSS)", { value: pty.pssMb, limit: 110, unit: "MB" });
  await pty.end();
}

const floodSeconds = 10;
const flood = `exec("import time\\nt=time.time(); i=0\\nwhile time.time()-t<${floodSeconds}: i+=1; print(i,'x'*80)\\nprint('flood','over')")`;

async function flooded(): Promise<void> {
  const headless = new Pty([...omp, "tool", "python", JSON.stringify({ cells: [{ code: flood }] })]);
  let headlessMs = 0;
  const watch = setInterval(() => {
    headlessMs = headless.cpuMs;
  }, 200);
  await headless.sees("flood over");
  clearInterval(watch);
  await headless.end();

  const pty = new Pty([...omp, "-m", "demo"]);
  await pty.sees("idle");
  const [cpuBefore, bytesBefore] = [pty.cpuMs, pty.bytes];
  pty.type(`$${flood}\r`);
  await pty.sees("xxxx");
  const echoMs = await keyEcho(pty, 40);
  await pty.sees("flood over");
  const cpuPercent = (pty.cpuMs - cpuBefore) / (10 * floodSeconds);
  report.note("a cell that prints at full speed: processor use, all of omp", `${cpuPercent.toFixed(0)} %`);
  report.note("the same without a UI", `${(headlessMs / (10 * floodSeconds)).toFixed(0)} %`);
  const share = Math.max(0, cpuPercent - headlessMs / (10 * floodSeconds));
  report.limit("of which the UI", { value: share, limit: 30, unit: "%" });
  report.limit("key echo meanwhile", { value: echoMs, limit: 50, unit: "ms" });
  const kilobytes = (pty.bytes - bytesBefore) / 1000 / floodSeconds;
  report.limit("sent to the terminal", { value: kilobytes, limit: 200, unit: "kB/s" });
  await pty.end();
}

/** Esc → what ran has ended and says so. The model is a script that waits. */
async function interrupts(): Promise<void> {
  const script = join(home, "slow.json");
  writeFileSync(script, JSON.stringify({ turns: Array(20).fill({ text: "late", delayMs: 60_000 }) }));
  const pty = new Pty([...omp, "-m", `script:${script}`]);
  await pty.sees("idle");
  const runs = [
    { name: "the model", input: "go\r", begun: "Esc to interrupt" },
    { name: "a command", input: "!sleep 60\r", begun: "running bash" },
    { name: "a cell", input: "$while True: pass\r", begun: "running python" },
  ];
  for (const { name, input, begun } of runs) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await pty.sees(begun, () => pty.type(input));
      times.push(await pty.sees("nterrupted", () => pty.type("\x1b")));
    }
    report.limit(`Esc interrupts ${name}, slowest of 5`, {
      value: Math.max(...times),
      limit: 300,
      unit: "ms",
    });
  }
  await pty.end();
}

/** A session of so many items, as a log that omp resumes. */
function writeLongSession(items: number): void {
  const id = crypto.randomUUID();
  const at = new Date().toISOString();
  const lines: object[] = [{ type: "session", version: 1, id, cwd: project, createdAt: at }];
  const output = Array.from({ length: 40 }, (_, line) => `line ${line} of some output`).join("\n");
  for (let call = 0; call < items; call += 1) {
    const input = { command: "seq 1 40", description: `Call number ${call}` };
    lines.push({ type: "tool_call", id: `c${call}`, name: "bash", input, at });
    const result = { isError: false, output, details: { exitCode: 0, durationMs: 12 } };
    lines.push({ type: "tool_result", id: `c${call}`, name: "bash", result, at });
  }
  const directory = join(home, ".omp", "agent", "sessions");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(directory, `${at.replace(/[:.]/g, "-")}-${id}.jsonl`), text, { mode: 0o600 });
}

async function longTranscript(): Promise<void> {
  writeLongSession(2_000);
  const pty = new Pty([...omp, "-m", "demo", "--continue"], { PI_PY: "0" });
  await pty.sees("number 1999");
  const expandMs = await pty.sees("number 1999", () => pty.type("\x0f"));
  report.limit("expand all of 2,000 items", { value: expandMs, limit: 1_000, unit: "ms" });
  const echoMs = await keyEcho(pty, 60);
  report.limit("key echo in it", { value: echoMs, limit: 20, unit: "ms" });
  report.note("memory (PSS) with it", `${pty.pssMb.toFixed(0)} MB`);
  await pty.end();
}

const parts = { start, idle, flooded, interrupts, longTranscript };
const wanted = process.argv.slice(2);
try {
  for (const [name, run] of Object.entries(parts))
    if (wanted.length === 0 || wanted.includes(name)) await run();
  process.exitCode = report.print();
} finally {
  rmSync(home, { recursive: true, force: true });
}
