/** Notebooks of our own making: files in test/notebooks/cases, cells separated by `# %%`, run by omp and by nbclient. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newMessage } from "../../src/kernel/message.ts";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail } from "../../src/output/truncation.ts";
import type { ToolResult } from "../../src/protocol/index.ts";
import { kernelWidgets } from "../../src/tools/python/captured-output.ts";
import { CellRecord } from "../../src/tools/python/cell-record.ts";
import { buildResult } from "../../src/tools/python/result.ts";
import { temporaryDirectory } from "../support/home.ts";
import { kernelEnvironment } from "../support/kernels.ts";
import type { TestPython } from "../support/python.ts";
import { cellsOf, pythonSession } from "../tools/python/python-session.ts";

export interface Notebook {
  readonly name: string;
  readonly cells: readonly string[];
}

/** What is compared of a cell. */
export interface CellOutcome {
  readonly output: string;
  readonly error: string | undefined;
  readonly images: readonly string[];
}

export type Outcomes = ReadonlyMap<string, readonly CellOutcome[]>;

const folder = import.meta.dirname;

export function readNotebooks(): Notebook[] {
  const cases = join(folder, "cases");
  return readdirSync(cases)
    .sort()
    .map((file) => ({
      name: file.replace(/\.py$/, ""),
      cells: readFileSync(join(cases, file), "utf8")
        .replace(/\n$/, "")
        .split(/^# %%\n/m)
        .map((cell) => cell.replace(/\n$/, "")),
    }));
}

/**
 * They change the kernel itself, look at what was run before, or end with output that stock kernels may show too late, so that each has
 * a kernel of its own. Others share one.
 */
const ALONE =
  /^(?:await|displays-update.*|environment|errors-.*|formatters|hooks|input|magics-.*|namespace|processes|progress-notebook|rich|streams-(?:bytes|interleaved|logging|replaced|unicode)|subprocess.*|tasks|threads|widgets.*)$/;
const SHARING = 6;

/** The notebooks that run in one kernel, one after the other. */
export type KernelShare = readonly [Notebook, ...Notebook[]];

export function shareKernels(notebooks: readonly Notebook[]): KernelShare[] {
  const shares: [Notebook, ...Notebook[]][] = [];
  let open: [Notebook, ...Notebook[]] | undefined;
  for (const notebook of notebooks) {
    if (!ALONE.test(notebook.name) && open !== undefined && open.length < SHARING) {
      open.push(notebook);
      continue;
    }
    const share: [Notebook, ...Notebook[]] = [notebook];
    shares.push(share);
    if (!ALONE.test(notebook.name)) open = share;
  }
  return shares;
}

/** What every kernel runs first, without a trace. */
export interface NotebookSetUp {
  readonly code: string;
  /** What a kernel's own environment lacks, it takes from here. */
  readonly packages: string;
  /** Where matplotlib keeps the fonts that it found. */
  readonly fonts: string;
}

/** Each cell in a call of its own. */
export async function runWithOmp(
  shares: readonly KernelShare[],
  python: TestPython,
  { code: setUp }: NotebookSetUp,
): Promise<Outcomes> {
  const session = await pythonSession({ python, lasts: "file" });
  const outcomes = new Map<string, CellOutcome[]>();
  for (const share of shares) {
    const [{ name: sessionId }] = share;
    const cwd = join(session.project, sessionId);
    mkdirSync(cwd);
    await prepare(session, sessionId, cwd, setUp);
    for (const { name, cells } of share) {
      const results = [];
      for (const code of cells)
        results.push(outcomeOf(await session.call({ cells: [{ code }], cwd }, { sessionId })));
      outcomes.set(name, results);
    }
  }
  return outcomes;
}

async function prepare(
  { pool }: Awaited<ReturnType<typeof pythonSession>>,
  sessionId: string,
  cwd: string,
  code: string,
): Promise<void> {
  const request = { sessionId, cwd, reset: false, signal: new AbortController().signal };
  await pool.use(request, async ({ kernel }) => {
    for await (const { header, content } of kernel.execute(code, { silent: true }))
      if (header.msg_type === "error") throw new Error(`the set-up failed: ${content["evalue"]}`);
  });
}

export async function runWithNbclient(
  shares: readonly KernelShare[],
  { python, client, setUp }: { python: TestPython; client: TestPython; setUp: NotebookSetUp },
): Promise<Outcomes> {
  const directory = temporaryDirectory({ lasts: "file" });
  const { code, packages, fonts } = setUp;
  const notebooks = shares.map((share) => ({
    name: share[0].name,
    cells: share.flatMap(({ cells }) => cells),
  }));
  const request = { python: python.path, packages, setUp: code, directory, parallel: 2, notebooks };
  const child = Bun.spawn([client.path, join(folder, "run_nbclient.py")], {
    env: { ...kernelEnvironment(directory, python), JUPYTER_PLATFORM_DIRS: "1", MPLCONFIGDIR: fonts },
    stdin: new Blob([JSON.stringify(request)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [lines, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.exitCode !== 0) throw new Error(`nbclient failed:\n${problems}`);
  const outcomes = new Map<string, CellOutcome[]>();
  for (const line of lines.trim().split("\n")) {
    const { name: first, outputs, replies }: NbclientRun = JSON.parse(line);
    const cells = await Promise.all(outputs.map((each, index) => resultOf(each, replies[index] ?? {})));
    for (const notebook of shares.find(([{ name }]) => name === first) ?? [])
      outcomes.set(notebook.name, cells.splice(0, notebook.cells.length));
  }
  return outcomes;
}

/** What run_nbclient.py writes of a notebook. */
interface NbclientRun {
  readonly name: string;
  readonly outputs: readonly (readonly Record<string, unknown>[])[];
  readonly replies: readonly Record<string, unknown>[];
}

/** The outputs that nbclient left in a cell, as the model would read them. */
async function resultOf(
  outputs: readonly Record<string, unknown>[],
  reply: Record<string, unknown>,
): Promise<CellOutcome> {
  const artifacts = new ArtifactStore({
    directory: temporaryDirectory({ lasts: "file" }),
    maxTotalBytes: 1e9,
    maxAgeMs: 1e9,
  });
  const sink = new OutputSink({ policy: modelTail, artifacts });
  sink.mark();
  const record = new CellRecord(sink, kernelWidgets());
  for (const { output_type: type, ...content } of outputs) {
    record.receive(newMessage({ channel: "iopub", type: String(type), session: "", content }));
  }
  record.receive(newMessage({ channel: "shell", type: "execute_reply", session: "", content: reply }));
  record.finish();
  const status = record.error ? "error" : "ok";
  const result = await buildResult(
    {
      cells: { runs: [{ cell: { code: "" }, status, durationMs: 0, record }], death: undefined },
      captured: sink.finish(),
      durationMs: 0,
      cwd: "",
      timeoutSeconds: 30,
      timedOut: false,
      cancelled: false,
      remarks: [],
      timeoutRemark: undefined,
      stateLost: false,
    },
    artifacts,
  );
  return outcomeOf(result);
}

function outcomeOf(result: ToolResult): CellOutcome {
  const { error } = cellsOf(result)[0] ?? {};
  return {
    output: steady(result.output),
    error: error && `${error.name}: ${steady(error.value)}`,
    images: (result.images ?? []).map(({ mediaType }) => mediaType),
  };
}

/** Without what differs from run to run: addresses, artifacts, places, process numbers. */
function steady(text: string): string {
  return text
    .replaceAll(/0x[0-9a-f]{6,}/g, "0x…")
    .replaceAll(/artifact:\/\/\w+/g, "artifact://…")
    .replaceAll(/\/\S*omp-test-\w+\/(\S*\/)?(?=[\w-]+)/g, "…/")
    .replaceAll(/ipykernel_\d+\/\d+/g, "ipykernel_…")
    .replaceAll(/\b\d+\.\d+s\b/g, "…s");
}
