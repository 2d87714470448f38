/** The `python` tool: cells in a live IPython kernel whose state persists from call to call. */

import { resolve } from "node:path";
import * as z from "zod";
import { TimeLimit } from "../../async/time-limit.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { BRANCH_NAME_RULE, isBranchName } from "../../kernel/pool/branch-name.ts";
import type { KernelLease, KernelPool } from "../../kernel/pool/pool.ts";
import type { ArtifactStore } from "../../output/artifacts.ts";
import { OutputSink } from "../../output/sink.ts";
import { modelTail } from "../../output/truncation.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import {
  chooseTimeout,
  flagField,
  resolveWorkingDirectory,
  type TimeoutRange,
  timeoutField,
} from "../fields.ts";
import { ToolError } from "../tool-error.ts";
import { kernelWidgets } from "./captured-output.ts";
import { answerCells } from "./cell-questions.ts";
import { type PythonPromptOptions, pythonPrompt } from "./prompt.ts";
import { buildResult, LATE_HEADING, notRun, notRunInTime } from "./result.ts";
import { runCells } from "./run-cells.ts";
import { waitForTurn } from "./turn.ts";
import type { Widgets } from "./widgets.ts";

export interface PythonToolOptions extends PythonPromptOptions {
  /** Called with the first use: a session that never runs Python starts no kernel and loads no kernel code. */
  readonly kernels: () => Promise<KernelPool>;
  /** Made with the first use, too. */
  readonly artifacts: () => ArtifactStore;
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
  reset: flagField("Start from an empty kernel before the first cell."),
  branch: z
    .string()
    // Not as a pattern: that would be sent with every request, and not every server makes a grammar of one.
    .refine(isBranchName, `must be a name that ${BRANCH_NAME_RULE}`)
    .optional()
    .describe("To try something: run in a copy of the kernel, made when first named."),
});

/** In an existing kernel. The fields stay, so that a call that uses them gets an error that explains why. */
const borrowedSchema = schema.extend({
  cwd: schema.shape.cwd.describe("Refused: the kernel has a directory of its own."),
  reset: schema.shape.reset.describe("Refused: omp did not start this kernel."),
  branch: schema.shape.branch.describe("Refused: omp did not start this kernel."),
});

type PythonInput = z.output<typeof schema>;

export function pythonTool(options: PythonToolOptions): Tool<PythonInput> {
  const described = new WeakSet<Kernel>();
  const widgets = new WeakMap<Kernel, Widgets>();
  return defineTool({
    name: "python",
    prompt: pythonPrompt(options),
    schema: options.existing === undefined ? schema : borrowedSchema,
    readOnly: false,
    summary: ({ cells }) => cells.map(({ code, title }) => title ?? code).join("; "),
    run: (input, context) => runCall(input, context, options, { described, widgets }),
  });
}

/** What is remembered of each kernel from call to call. */
interface KernelMemory {
  readonly described: WeakSet<Kernel>;
  readonly widgets: WeakMap<Kernel, Widgets>;
}

async function runCall(
  input: PythonInput,
  context: ToolContext,
  options: PythonToolOptions,
  { described, widgets }: KernelMemory,
): Promise<ToolResult> {
  if (options.existing !== undefined) refuseForBorrowed(input);
  const branch = input.branch ?? context.branch;
  refuseForBranch({ ...input, branch });
  const isOwnPlace = options.elsewhere === undefined && options.existing === undefined;
  // Elsewhere only the kernel can tell whether there is such a directory.
  const cwd = isOwnPlace
    ? resolveWorkingDirectory("python", input.cwd, context)
    : resolve(context.cwd, input.cwd ?? "");
  const timeout = chooseTimeout(input.timeout, timeoutRange);
  const pool = await options.kernels();
  const request = {
    sessionId: context.sessionId,
    cwd,
    reset: input.reset ?? false,
    signal: context.signal,
    branch,
    isBranchNew: input.branch !== undefined,
    waiting: context.waitingKernels,
  };
  const work = async (lease: KernelLease) => {
    const turn = await waitForTurn(lease.kernel, timeout.milliseconds, context);
    if (turn === "aborted") return notRun(input.cells, cwd);
    if (turn === "busy") return notRunInTime(input.cells, cwd, timeout.seconds);
    const startedAt = performance.now();
    // Counted from here: a kernel's start, and the wait for others, have limits of their own.
    const timeLimit = new TimeLimit(timeout.milliseconds);
    const artifacts = options.artifacts();
    const sink = new OutputSink({ policy: modelTail, artifacts, onText: context.onUpdate });
    const late = lease.kernel.takeLateOutput();
    if (late) sink.write(`${LATE_HEADING}\n${late.endsWith("\n") ? late : `${late}\n`}`);
    const signal = AbortSignal.any([context.signal, timeLimit.signal]);
    const bridge = context.openBridge?.({
      signal,
      kernel: lease.kernel,
      holdTime: () => holdAll(timeLimit, context),
    });
    const cells = await runCells({
      lease,
      cells: input.cells,
      output: sink,
      widgets: widgetsOf(lease.kernel, widgets),
      onCell: (heading, number) => {
        sink.writeHeading(heading);
        context.onUpdate(`${heading}\n`, number);
      },
      signal,
      answer: answerCells({ ...context, bridge }),
    }).finally(async () => {
      timeLimit.stop();
      await bridge?.close();
    });
    const cut = cells.runs.some(({ status }) => status !== "ok" && status !== "error");
    return await buildResult(
      {
        cells,
        captured: sink.finish(),
        durationMs: Math.round(performance.now() - startedAt),
        cwd: isOwnPlace ? cwd : lease.kernel.facts.location.cwd,
        timeoutSeconds: timeout.seconds,
        // The first cause wins: a user who aborts just before the limit did not see a timeout.
        cancelled: cut && context.signal.aborted,
        timedOut: cut && timeLimit.signal.aborted && !context.signal.aborted,
        remarks: kernelRemarks(lease, described, input.branch),
        timeoutRemark: timeout.remark,
        stateLost: lease.stateLost.length > 0,
        branch: input.branch,
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

/** While a call of the cell's waits for the user: also for the calls whose cells wait for this one. */
function holdAll(timeLimit: TimeLimit, { holdTime }: Pick<ToolContext, "holdTime">): () => void {
  const releases = [timeLimit.hold(), holdTime?.()];
  return () => {
    for (const release of releases) release?.();
  };
}

function widgetsOf(kernel: Kernel, known: KernelMemory["widgets"]): Widgets {
  const widgets = known.get(kernel) ?? kernelWidgets();
  known.set(kernel, widgets);
  return widgets;
}

function refuseForBranch({ reset, branch }: PythonInput): void {
  if (branch === undefined || reset !== true) return;
  const issue = "reset is not possible in a branch, which is a copy of the kernel";
  throw new ToolError({ operation: "python", issue, code: "EINVAL" });
}

function refuseForBorrowed({ reset, cwd, branch }: PythonInput): void {
  const issue =
    branch !== undefined
      ? "branch is not possible: omp did not start this kernel, and cannot copy it"
      : reset === true
        ? "reset is not possible: omp did not start this kernel, and its state belongs to others; use new names, or delete your own"
        : cwd !== undefined
          ? "cwd is not possible: omp did not start this kernel, and it has its own directory; use absolute paths in the cells"
          : undefined;
  if (issue !== undefined) throw new ToolError({ operation: "python", issue, code: "KERNEL_NOT_OURS" });
}

/** What the model must know about the kernel before it reads the output. Where it is and what failed is said once per kernel. */
function kernelRemarks(
  { kernel, stateLost, remarks: more = [] }: KernelLease,
  described: WeakSet<Kernel>,
  branch: string | undefined,
): string[] {
  const named = branch === undefined || more.length > 0 ? [] : [`Branch ${branch}`];
  const remarks = [...stateLost, ...named, ...more];
  if (!described.has(kernel)) {
    described.add(kernel);
    const { gateway, existing, host, cwd, seesOurFiles } = kernel.facts.location;
    if (gateway !== undefined && !seesOurFiles)
      remarks.push(`This kernel runs on ${host}, in ${cwd}; the project's files are not there.`);
    if (existing !== undefined) {
      const files = seesOurFiles ? "sees the project's files" : "does not see the project's files";
      const where = host === "" ? "" : ` on ${host}, in ${cwd}, and ${files}`;
      remarks.push(`omp did not start this kernel. It runs Python ${kernel.facts.pythonVersion}${where}.`);
    }
    const { bootProblems } = kernel.facts;
    if (bootProblems.length > 0) remarks.push(`In this kernel omp does without ${bootProblems.join("; ")}.`);
    for (const { name, error } of kernel.facts.failedModules) {
      remarks.push(`The extension module ${name} failed to load and was skipped: ${error}`);
    }
  }
  return remarks;
}
