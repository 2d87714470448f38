/** The persistent shell compared with a fresh `bash -c`, and `bash_output` on a background shell that writes 50 MB/s. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedWatchdog } from "../src/process/watchdog.ts";
import { openShells } from "../src/shell/shells.ts";
import { bashOutputTool } from "../src/tools/bash-output.ts";
import { median, Report } from "./report.ts";

const ROUNDS = 200;

const directory = mkdtempSync(join(tmpdir(), "omp-bench-"));
const env = { PATH: process.env["PATH"] ?? "", HOME: directory };
const shells = openShells({ cwd: directory, env, runtimeBases: [directory] });
const report = new Report("shell");

const quiet = {
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onStdout: () => undefined,
  onStderr: () => undefined,
};

async function timed(what: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await what();
  return performance.now() - start;
}

async function runFresh(): Promise<void> {
  const child = Bun.spawn(["bash", "-c", "true"], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  await Promise.all([child.exited, new Response(child.stdout).bytes(), new Response(child.stderr).bytes()]);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

try {
  const shell = await shells.persistent();
  const first = await timed(() => shell.run("true", quiet));
  await runFresh();
  const ours: number[] = [];
  const theirs: number[] = [];
  // They take turns, so that load on the machine affects both.
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await timed(() => shell.run("true", quiet)));
    theirs.push(await timed(runFresh));
  }
  report.note("first command, including the start of bash", `${first.toFixed(1)} ms`);
  report.atMost("true, median of 200", {
    ours: median(ours),
    peer: median(theirs),
    factor: 0.5,
    unit: "ms",
    peerName: "bash -c true",
  });
  report.limit("true, 95th percentile", { value: percentile(ours, 0.95), limit: 50, unit: "ms" });

  const replaced = await timed(() => shell.run("exit 0", quiet));
  report.note("a command that ends the shell, including its replacement", `${replaced.toFixed(1)} ms`);

  // 2 MiB every 30 ms or so, with the time that `cat` and `sleep` take to start: about 50 MB/s.
  writeFileSync(join(directory, "block"), `${"x".repeat(79)}\n`.repeat(13_107));
  const writer = "while :; do cat block block; sleep 0.03; done";
  const background = await shells.startBackground(writer);
  const tool = bashOutputTool({
    shells: () => shells,
    home: directory,
    searchPath: undefined,
    cache: directory,
  });
  const context = {
    sessionId: "bench",
    cwd: directory,
    projectRoot: directory,
    signal: quiet.signal,
    onUpdate: () => undefined,
  };
  const looks: number[] = [];
  const filtered: number[] = [];
  const started = performance.now();
  for (let round = 0; round < 20; round += 1) {
    await Bun.sleep(150);
    looks.push(await timed(() => tool.run({ bash_id: background.id }, context)));
    await Bun.sleep(150);
    filtered.push(await timed(() => tool.run({ bash_id: background.id, filter: "(y+)+z|x{5}y" }, context)));
  }
  const rate = background.stdout.totalBytes / 1e6 / ((performance.now() - started) / 1000);
  report.note("output of the background shell", `${rate.toFixed(0)} MB/s`);
  report.limit("bash_output on it, slowest of 20", { value: Math.max(...looks), limit: 100, unit: "ms" });
  report.note("bash_output with a filter, median of 20", `${median(filtered).toFixed(1)} ms`);
} finally {
  await shells.close();
  await sharedWatchdog().close();
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();
