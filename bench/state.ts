/**
 * A namespace from one omp to the next (`python.keepState`): keeping arrays when omp ends, restoring them, and what a kept namespace adds
 * to resuming a session. Runs the bundle through the launcher, as a user would. `npm run bench -- state [MB]`.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { asRecord, parseJson } from "../src/protocol/record.ts";
import { Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const megabytes = Number(process.argv[2] ?? 1_000);
const ARRAYS = 10;
const TIMES = 5;
const BYTES_EACH = 8;

await buildBundle(root);
// Not in /tmp where that is in memory.
const directory = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "omp-bench-state-"));
const [home, project] = [join(directory, "home"), join(directory, "project")];
for (const path of [join(home, ".omp", "agent"), project]) mkdirSync(path, { recursive: true });
const env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", VIRTUAL_ENV: join(root, ".venv") };
const report = new Report(`a namespace with ${megabytes} MB of arrays`);

const names = Array.from({ length: ARRAYS }, (_, at) => `a${at}`).join(", ");
const length = Math.round((megabytes * 1e6) / ARRAYS / BYTES_EACH);
const make = `import numpy as np\n${names} = (np.random.rand(${length}) for _ in range(${ARRAYS}))\nsmall = 1`;

try {
  writeSettings({ keepState: false });
  const lost = await run([], make);
  const bare = await median(() => run(["-c"], "print('here')"));
  writeSettings({ keepState: true, keepStateMb: 100_000, keepStateTimeout: 60 });
  const kept = await run([], make);
  report.limit("keeping it when omp ends", {
    value: kept.endMs - lost.endMs,
    limit: 5 * megabytes,
    unit: "ms",
  });
  const resumed = await median(() => run(["-c"], "print('here', small)"));
  report.limit(`resuming for a small variable of it, beyond an empty kernel, median of ${TIMES}`, {
    value: resumed - bare,
    limit: 200,
    unit: "ms",
  });
  const restored = await run(["-c"], `print('here', sum(float(a[-1]) for a in (${names})) > 0)`);
  report.limit("restoring all of it, beyond an empty kernel", {
    value: restored.resultMs - bare,
    limit: 5 * megabytes,
    unit: "ms",
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();

function writeSettings(python: object): void {
  writeFileSync(join(home, ".omp", "agent", "omp.jsonc"), JSON.stringify({ python }));
}

interface Run {
  /** From the start to the cell's result, and from there to the end of omp. */
  readonly resultMs: number;
  readonly endMs: number;
}

/** One session with one cell. */
async function run(args: readonly string[], code: string): Promise<Run> {
  const turns = [{ toolCalls: [{ name: "python", input: { cells: [{ code }] } }] }, { text: "Done." }];
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
  const began = performance.now();
  const command = [join(root, "bin", "omp"), "-p", "-m", `script:${script}`];
  const child = Bun.spawn([...command, "--output-format", "stream-json", ...args, "go"], {
    cwd: project,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let resultAt = Number.NaN;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (Number.isNaN(resultAt) && text.includes('"type":"tool_result"')) resultAt = performance.now();
  }
  const stderr = await new Response(child.stderr).text();
  const exitCode = await child.exited;
  const endedAt = performance.now();
  const result = text
    .split("\n")
    .map((line) => asRecord(parseJson(line)))
    .find(({ type }) => type === "tool_result");
  const hasWord = code === make || String(result?.["output"]).startsWith("here");
  if (exitCode !== 0 || stderr !== "" || !hasWord) throw new Error(`${stderr}\n${text}`);
  return { resultMs: resultAt - began, endMs: endedAt - resultAt };
}

async function median(measure: () => Promise<Run>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) times.push((await measure()).resultMs);
  return times.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)] ?? Number.NaN;
}
