/** The `python` tool: cells in a live IPython kernel whose state persists from call to call. */

import { resolve } from "node:path";
import * as z from "zod";
import prompt from "../../../prompts/tools/python.md" with { type: "text" };
import elsewherePrompt from "../../../prompts/tools/python-elsewhere.md" with { type: "text" };
import helpers from "../../../prompts/tools/python-helpers.md" with { type: "text" };
import type { KernelHandle, PythonKernelOperations } from "../../kernel/kernel.ts";
import type { KernelLease, KernelPool } from "../../kernel/pool/pool.ts";
import type { ArtifactStore } from "../../output/artifacts.ts";
import { OutputSink } from "../../output/sink.ts";
import { modelTail } from "../../output/truncation.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { chooseTimeout, type TimeoutRange, timeoutField } from "../timeout.ts";
import { workingDirectory } from "../working-directory.ts";
import { buildResult, notRun } from "./result.ts";
import { runCells } from "./run-cells.ts";

export interface Kernels {
  readonly operations: PythonKernelOperations;
  readonly pool: KernelPool;
}

export interface PythonToolOptions {
  /** Called with the first use: a session that never runs Python starts no kernel and loads no kernel code. */
  readonly kernels: () => Promise<Kernels>;
  /** Made with the first use, too. */
  readonly artifacts: () => ArtifactStore;
  /** In words, when kernels run where the project's files need not be: `in the Jupyter gateway 'lab' (hub.example.org)`. */
  readonly elsewhere?: string | undefined;
}

const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: 600, fallback: 30 };

const schema = z.strictObject({
  cells: z
    .array(
      z.strictObject({
        code: z.string().describe("Python source; the value of a last expression is shown."),
        title: z.string().optional().describe("A few words on what the cell does."),
      }),
    )
    .min(1, "must hold at least one cell")
    .describe("Run in order in one kernel; the first that fails ends the call."),
  timeout: timeoutField(timeoutRange),
  cwd: z.string().optional().describe("Working directory; each one has a kernel of its own."),
  reset: z.boolean().optional().describe("Start from an empty kernel before the first cell."),
});

type PythonInput = z.output<typeof schema>;

export function pythonTool(options: PythonToolOptions): Tool<PythonInput> {
  const told = new WeakSet<KernelHandle>();
  const { elsewhere } = options;
  const where = elsewhere === undefined ? "" : `\n${elsewherePrompt.replace("{place}", elsewhere)}`;
  return defineTool({
    name: "python",
    prompt: `${prompt}${where}\n${helpers}`,
    schema,
    concurrency: "exclusive",
    readOnly: false,
    summary: ({ cells }) => cells.map(({ code, title }) => title ?? code).join("; "),
    run: (input, context) => runCall(input, context, options, told),
  });
}

async function runCall(
  input: PythonInput,
  context: ToolContext,
  options: PythonToolOptions,
  told: WeakSet<KernelHandle>,
): Promise<ToolResult> {
  // Elsewhere only the kernel can tell whether there is such a directory.
  const cwd =
    options.elsewhere === undefined
      ? workingDirectory("python", input.cwd, context.cwd)
      : resolve(context.cwd, input.cwd ?? "");
  const timeout = chooseTimeout(input.timeout, timeoutRange);
  const { operations, pool } = await options.kernels();
  const request = { sessionId: context.sessionId, cwd, reset: input.reset ?? false, signal: context.signal };
  const work = async (lease: KernelLease) => {
    const startedAt = performance.now();
    // Counted from here: a kernel's start has a limit of its own.
    const timeLimit = AbortSignal.timeout(timeout.milliseconds);
    const artifacts = options.artifacts();
    const sink = new OutputSink({
      policy: modelTail,
      artifacts,
      onText: context.onUpdate,
    });
    const late = operations.takeLateOutput(lease.kernel);
    if (late) sink.write(`[printed since the last call]\n${late.endsWith("\n") ? late : `${late}\n`}`);
    const cells = await runCells({
      operations,
      lease,
      cells: input.cells,
      output: sink,
      signal: AbortSignal.any([context.signal, timeLimit]),
    });
    const cut = cells.runs.some(
      ({ status }) => status === "interrupted" || status === "died" || status === "not run",
    );
    return await buildResult(
      {
        cells,
        captured: sink.finish(),
        durationMs: Math.round(performance.now() - startedAt),
        cwd: options.elsewhere === undefined ? cwd : lease.kernel.facts.place.cwd,
        timeoutSeconds: timeout.seconds,
        // The first cause wins: a user who aborts just before the limit did not see a timeout.
        cancelled: cut && context.signal.aborted,
        timedOut: cut && timeLimit.aborted && !context.signal.aborted,
        notices: [...(timeout.notice ? [timeout.notice] : []), ...kernelNotices(lease, told)],
        stateLost: lease.stateLost.length > 0,
      },
      artifacts,
    );
  };
  try {
    return await pool.use(request, work);
  } catch (error) {
    // While it waited for its turn or its kernel: nothing has run.
    if (context.signal.aborted && error === context.signal.reason) return notRun(input.cells, cwd);
    throw error;
  }
}

/** What the model must know about the kernel before it reads the output. Where it is and what failed is told once a kernel. */
function kernelNotices({ kernel, stateLost }: KernelLease, told: WeakSet<KernelHandle>): string[] {
  const notices = stateLost.map((sentence) => `[${sentence}]`);
  if (!told.has(kernel)) {
    told.add(kernel);
    const { gateway, host, cwd, seesOurFiles } = kernel.facts.place;
    if (gateway !== undefined && !seesOurFiles)
      notices.push(`[This kernel runs on ${host}, in ${cwd}; the project's files are not there.]`);
    for (const { name, error } of kernel.facts.failedModules) {
      notices.push(`[The extension module ${name} failed to load and was skipped: ${error}]`);
    }
  }
  return notices;
}
