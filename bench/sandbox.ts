/** Kernel and shell in the sandbox compared with the same outside it, taking turns: `npm run bench -- sandbox`. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Kernel } from "../src/kernel/kernel.ts";
import { LocalKernels } from "../src/kernel/local/local-kernels.ts";
import type { Confinement } from "../src/process/confinement.ts";
import { sharedWatchdog } from "../src/process/watchdog.ts";
import { Sandbox } from "../src/sandbox/sandbox.ts";
import { openShells } from "../src/shell/shells.ts";
import { median, Report } from "./report.ts";

const CALLS = 300;
/** Two single shells differ by a quarter now and then, wherever they run: the system places them on its processors. */
const SHELLS = 9;
const STARTS = 15;

const python = process.argv[2] ?? resolve(import.meta.dir, "../.venv/bin/python");
const directory = realpathSync(mkdtempSync(join(tmpdir(), "omp-bench-")));
const [project, home] = [join(directory, "project"), join(directory, "home")];
for (const path of [project, home]) mkdirSync(path);
const env = { PATH: process.env["PATH"] ?? "", HOME: home };
const report = new Report("sandbox");

const sandbox = await Sandbox.open({
  ...{ mode: "workspace", projectRoot: project, home, ompHome: join(home, ".omp") },
  ...{ allowedPaths: [], allowedHosts: [], readable: [dirname(dirname(python))] },
  ...{ temporaryBase: directory, searchPath: env.PATH },
});

function newKernels(confinement: Confinement | undefined): LocalKernels {
  return new LocalKernels({
    ...{ python, env, confinement, transport: "ipc", useForkServer: false, startTimeoutMs: 60_000 },
    runtimeBases: [tmpdir()],
    extensionModules: () => [],
  });
}

async function timed(what: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await what();
  return performance.now() - start;
}

async function run(kernel: Kernel): Promise<void> {
  for await (const _ of kernel.execute("pass"));
}

/** Medians of both, measured in turn. */
async function compare(rounds: number, inside: () => Promise<number>, outside: () => Promise<number>) {
  const values: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    values[0].push(await inside());
    values[1].push(await outside());
  }
  return { ours: median(values[0]), peer: median(values[1]), unit: "ms", peerName: "without" } as const;
}

const quiet = {
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onStdout: () => undefined,
  onStderr: () => undefined,
};
const [kernelsIn, kernelsOut] = [newKernels(sandbox), newKernels(undefined)];
const newShells = (confinement: Confinement | undefined) =>
  openShells({ cwd: project, env, confinement, runtimeBases: [directory] });

/** The medians of one pair of shells. */
async function compareShells(): Promise<{ first: readonly number[]; ours: number; peer: number }> {
  const pair = [newShells(sandbox), newShells(undefined)];
  const [inside, outside] = await Promise.all(pair.map(async (shells) => await shells.persistent()));
  const runIn = () => timed(async () => await inside?.run("true", quiet));
  const runOut = () => timed(async () => await outside?.run("true", quiet));
  const first = [await runIn(), await runOut()];
  const { ours, peer } = await compare(CALLS, runIn, runOut);
  await Promise.all(pair.map((shells) => shells.close()));
  return { first, ours, peer };
}

try {
  const startIn = async (kernels: LocalKernels) => {
    let kernel: Kernel | undefined;
    const ms = await timed(async () => {
      kernel = await kernels.start({ cwd: project });
    });
    await kernel?.shutdown();
    return ms;
  };
  const starts = await compare(
    STARTS,
    () => startIn(kernelsIn),
    () => startIn(kernelsOut),
  );
  report.atMost(`kernel start, median of ${STARTS}`, { ...starts, factor: 1.2 });

  const [kernelIn, kernelOut] = [
    await kernelsIn.start({ cwd: project }),
    await kernelsOut.start({ cwd: project }),
  ];
  const cells = await compare(
    CALLS,
    () => timed(() => run(kernelIn)),
    () => timed(() => run(kernelOut)),
  );
  report.atMost(`pass, median of ${CALLS}`, { ...cells, factor: 1.05 });

  const shells: Awaited<ReturnType<typeof compareShells>>[] = [];
  while (shells.length < SHELLS) shells.push(await compareShells());
  const [firstIn, firstOut] = [0, 1].map((at) => median(shells.map(({ first }) => first[at] ?? 0)));
  report.note("first command", `${firstIn?.toFixed(1)} ms, without ${firstOut?.toFixed(1)} ms`);
  report.atMost(`true, median of ${SHELLS} shells, each of ${CALLS}`, {
    ours: median(shells.map(({ ours }) => ours)),
    peer: median(shells.map(({ peer }) => peer)),
    ...{ unit: "ms", peerName: "without", factor: 1.05 },
  });
} finally {
  await Promise.all([kernelsIn.close(), kernelsOut.close()]);
  sandbox.close();
  await sharedWatchdog().close();
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();
