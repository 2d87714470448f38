/**
 * A large input on stdin: what omp's memory grows by, the size of the first request, and a cell that finds a needle in it. Runs the
 * bundle through the launcher, as a user would. `npm run bench -- inputs [GB]`.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildBundle } from "../scripts/bundle.ts";
import { LoopbackModel } from "./loopback-model.ts";
import { Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const gigabytes = Number(process.argv[2] ?? 1);
const NEEDLE = "the-needle-in-it";

await buildBundle(root);
// Not in /tmp, which may be in memory.
const directory = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "omp-bench-inputs-"));
const home = join(directory, "home");
mkdirSync(join(home, ".omp", "agent"), { recursive: true });
using model = new LoopbackModel();
const endpoint = {
  name: "loopback",
  baseUrl: model.url,
  models: [{ id: "bench", contextTokens: 1_000_000 }],
};
writeFileSync(join(home, ".omp", "agent", "omp.jsonc"), JSON.stringify({ endpoints: [endpoint] }));
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  LANG: "C.UTF-8",
  VIRTUAL_ENV: join(root, ".venv"),
};
const report = new Report(`${gigabytes} GB on stdin`);

const cell = `
import time
began = time.perf_counter()
print(repr(omp.inputs.stdin))
print(${JSON.stringify(NEEDLE)} in omp.inputs.stdin, omp.inputs.stdin.grep(${JSON.stringify(NEEDLE)}), round(time.perf_counter() - began, 1))
`;

/** The omp of a pipe; its peak of memory, in MB, after the run's last request but one. */
async function peakMb(command: string): Promise<{ peak: number; stdout: string; ms: number }> {
  let peak = Number.NaN;
  model.script([{ name: "python", input: { cells: [{ code: cell }], timeout: 600 } }], () => {
    const pid = Number(readFileSync(join(directory, "pid"), "utf8"));
    const kb = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    peak = Number(kb) / 1000;
  });
  const before = performance.now();
  const script = `${command} | (echo $BASHPID > ${directory}/pid; exec ${join(root, "bin", "omp")} -p -m loopback/bench --output-format stream-json --no-session Why)`;
  const child = Bun.spawn(["bash", "-c", script], { cwd: directory, env, stdin: "ignore", stdout: "pipe" });
  const stdout = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(stdout);
  return { peak, stdout, ms: performance.now() - before };
}

try {
  const lines = Math.round((gigabytes * 1e9) / 100);
  const line = "x".repeat(99);
  const large = `{ yes ${line} | head -n ${Math.round(lines / 3)}; echo ${NEEDLE}; yes ${line} | head -n ${Math.round((2 * lines) / 3)}; }`;
  const small = await peakMb(`{ yes ${line} | head -n 1000; echo ${NEEDLE}; }`);
  const whole = await peakMb(large);
  report.limit("omp's memory grows by", { value: whole.peak - small.peak, limit: 96, unit: "MB" });
  report.limit("the first request", {
    value: model.requests[0]?.bytes ?? Number.NaN,
    limit: 20_000,
    unit: "bytes",
  });
  const output = /"type":"tool_result".*?"output":"((?:[^"\\]|\\.)*)"/.exec(whole.stdout)?.[1] ?? "";
  report.holds(
    "a cell finds the needle",
    output.includes(`True [(${Math.round(lines / 3) + 1}, '${NEEDLE}')]`),
  );
  report.note("what the cell printed", output);
  report.note("the whole run", `${(whole.ms / 1000).toFixed(1)} s`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();
