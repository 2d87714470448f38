/** What `exec` and `python_run` share: a program that runs once, with its output captured, and the result that the model reads. */

import type { ArtifactStore } from "../output/artifacts.ts";
import { type CapturedOutput, OutputSink } from "../output/sink.ts";
import type { TruncationPolicy } from "../output/truncation.ts";
import type { ConfinedNeeds, Confinement } from "../process/confinement.ts";
import { type ProcessOutcome, runFresh } from "../process/run-fresh.ts";
import {
  type ErrorParts,
  errorLine,
  type ToolContext,
  type ToolDetails,
  type ToolResult,
} from "../protocol/index.ts";
import type { Interpreter, InterpreterSearch } from "../python/interpreter.ts";
import type { ChosenTimeout } from "./fields.ts";
import { ResultText } from "./result-text.ts";

/** Looked up at each call: a virtual environment made by the last call counts. */
export interface ScriptServices {
  /** Where the whole output is kept. */
  readonly artifacts: () => ArtifactStore | undefined;
  readonly findInterpreter: () => Promise<InterpreterSearch>;
  /** The filtered environment, with the interpreter's own environment activated. */
  readonly environment: (interpreter: Interpreter | undefined) => Record<string, string>;
  /** The sandbox that they run in, at the time of a call. */
  readonly confinement?: (() => Confinement | undefined) | undefined;
}

export interface ScriptStart {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeout: ChosenTimeout;
  readonly context: ToolContext;
  readonly artifacts: ArtifactStore | undefined;
  readonly confinement: Confinement | undefined;
  readonly stdout: TruncationPolicy;
  readonly stderr: TruncationPolicy;
  /** Line endings as the program writes them. */
  readonly keepsReturns?: boolean;
  /** Called with the raw bytes of stderr as well. */
  readonly onStderr?: (chunk: Uint8Array) => void;
}

export interface ScriptRun {
  readonly outcome: ProcessOutcome;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

type Run = (argv: readonly string[], needs?: ConfinedNeeds) => Promise<ProcessOutcome>;

/** @param launch calls `run` with the program and its arguments, once they are known. */
export async function runScript(
  { cwd, env, timeout, context, artifacts, confinement, onStderr, keepsReturns, ...policies }: ScriptStart,
  launch: (run: Run) => Promise<ProcessOutcome>,
): Promise<ScriptRun> {
  const shared = { artifacts, onText: context.onUpdate, keepsReturns };
  const stdout = new OutputSink({ policy: policies.stdout, ...shared });
  const stderr = new OutputSink({ policy: policies.stderr, ...shared });
  try {
    const outcome = await launch((argv, needs) =>
      runFresh({
        argv,
        confinement,
        needs,
        cwd,
        env,
        timeoutMs: timeout.milliseconds,
        signal: context.signal,
        endsEverything: true,
        onStdout: (chunk) => stdout.write(chunk),
        onStderr: (chunk) => {
          stderr.write(chunk);
          onStderr?.(chunk);
        },
      }),
    );
    return { outcome, stdout: stdout.finish(), stderr: stderr.finish() };
  } finally {
    // Closes the artifacts of a run that failed.
    stdout.finish();
    stderr.finish();
  }
}

export type ScriptError = Omit<ErrorParts, "operation">;

export interface ScriptReport extends ScriptRun {
  readonly operation: string;
  readonly cwd: string;
  readonly timeout: ChosenTimeout;
  /** The tool's own wording and code for a timeout … */
  readonly timeoutError: ScriptError;
  /** … and for output that was more than it may be. */
  readonly outputError?: ScriptError | undefined;
  /** What else is worth knowing. */
  readonly remarks?: readonly string[];
  /** How to fix it. */
  readonly hint?: string | undefined;
  /** Facts that only this tool has. */
  readonly details?: ToolDetails;
}

/** The text in this order: stdout, stderr under its heading, how the program ended, remarks, a hint. */
export function buildScriptResult(report: ScriptReport): ToolResult {
  const { operation, outcome, stdout, stderr, timeout } = report;
  const errors = findErrors(report);
  const success = outcome.exitCode === 0 && errors.length === 0;
  const text = new ResultText();
  text.printCaptured(stdout);
  if (stderr.totalBytes > 0) {
    text.note("[stderr]", "stderr:");
    text.printCaptured(stderr);
  }
  if (outcome.timedOut) text.note(`Command timed out after ${timeout.seconds} seconds`);
  for (const error of errors) text.note(errorLine({ operation, ...error }));
  if (outcome.exitCode && !outcome.timedOut && !outcome.cancelled)
    text.note(`Exit code: ${outcome.exitCode}`);
  if (outcome.leftBehind) text.remark("processes that were left running have been ended");
  text.remark(timeout.remark);
  for (const remark of report.remarks ?? []) text.remark(remark);
  text.note(report.hint, report.hint);
  const [error] = errors;
  const details = {
    ...collectFacts(report),
    ...text.details,
    success,
    ...(error === undefined ? {} : { error: errorLine({ operation, ...error }), code: error.code }),
    ...report.details,
  };
  return { isError: !success, output: text.output, details };
}

/** What kept the program from a result of its own; an exit code is one. */
function findErrors({ outcome, timeoutError, outputError }: ScriptReport): ScriptError[] {
  const limits = outputError === undefined ? [] : [outputError];
  if (outcome.timedOut) return [timeoutError, ...limits];
  if (outcome.cancelled) return [{ issue: "cancelled", code: "CANCELLED" }, ...limits];
  if (outcome.signal === null) return limits;
  return [{ issue: `Process was killed by ${outcome.signal}`, code: "SIGNAL" }, ...limits];
}

function collectFacts({ outcome, stdout, stderr, cwd }: ScriptReport): ToolDetails {
  const artifact = stdout.artifact ?? stderr.artifact;
  const artifactProblem = stdout.artifactProblem ?? stderr.artifactProblem;
  return {
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    durationMs: outcome.durationMs,
    timedOut: outcome.timedOut,
    cancelled: outcome.cancelled || outcome.timedOut,
    truncated: stdout.truncated || stderr.truncated,
    stdoutTruncated: stdout.truncated,
    stderrTruncated: stderr.truncated,
    totalBytes: stdout.totalBytes + stderr.totalBytes,
    totalLines: stdout.totalLines + stderr.totalLines,
    cwd,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(artifact === undefined ? {} : { artifact }),
    ...(artifactProblem === undefined ? {} : { artifactProblem }),
    ...(stdout.binary || stderr.binary ? { binary: true } : {}),
    ...(stderr.artifact === undefined ? {} : { stderrArtifact: stderr.artifact }),
  };
}
