/** What `exec` and `python_run` share: a program that runs once, with its output captured, and the result that the model reads. */

import type { ArtifactStore } from "../output/artifacts.ts";
import { type CapturedOutput, OutputSink } from "../output/sink.ts";
import type { TruncationPolicy } from "../output/truncation.ts";
import { type ProcessOutcome, runFresh } from "../process/run-fresh.ts";
import { errorLine, type ToolContext, type ToolDetails, type ToolResult } from "../protocol/index.ts";
import type { Interpreter, InterpreterSearch } from "../python/interpreter.ts";
import type { ChosenTimeout } from "./fields.ts";
import { ResultText } from "./result-text.ts";

/** Looked up at each call: a virtual environment made by the last call counts. */
export interface ScriptServices {
  /** Where the whole output is kept. */
  readonly artifacts: () => ArtifactStore | undefined;
  readonly findInterpreter: () => InterpreterSearch;
  /** The filtered environment, with the interpreter's own environment activated. */
  readonly environment: (interpreter: Interpreter | undefined) => Record<string, string>;
}

export interface ScriptStart {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeout: ChosenTimeout;
  readonly context: ToolContext;
  readonly artifacts: ArtifactStore | undefined;
  readonly stdout: TruncationPolicy;
  readonly stderr: TruncationPolicy;
  /** Called with the raw bytes of stderr as well. */
  readonly onStderr?: (chunk: Uint8Array) => void;
}

export interface ScriptRun {
  readonly outcome: ProcessOutcome;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** @param launch calls `run` with the program and its arguments, once they are known. */
export async function runScript(
  { cwd, env, timeout, context, artifacts, onStderr, ...policies }: ScriptStart,
  launch: (run: (argv: readonly string[]) => Promise<ProcessOutcome>) => Promise<ProcessOutcome>,
): Promise<ScriptRun> {
  const stdout = new OutputSink({ policy: policies.stdout, artifacts, onText: context.onUpdate });
  const stderr = new OutputSink({ policy: policies.stderr, artifacts, onText: context.onUpdate });
  try {
    const outcome = await launch((argv) =>
      runFresh({
        argv,
        cwd,
        env,
        timeoutMs: timeout.milliseconds,
        signal: context.signal,
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

export interface ScriptReport extends ScriptRun {
  readonly operation: string;
  readonly cwd: string;
  readonly timeout: ChosenTimeout;
  /** The tool's own wording and code for a timeout. */
  readonly timeoutError: { readonly issue: string; readonly code: string };
  /** What else is worth knowing. */
  readonly remarks?: readonly string[];
  /** How to fix it. */
  readonly hint?: string | undefined;
  /** Facts that only this tool has. */
  readonly details?: ToolDetails;
}

/** The text in this order: stdout, stderr under its heading, how the program ended, remarks, a hint. */
export function buildScriptResult(report: ScriptReport): ToolResult {
  const { outcome, stdout, stderr, timeout } = report;
  const success = outcome.exitCode === 0 && !outcome.timedOut && !outcome.cancelled;
  const text = new ResultText();
  text.printCaptured(stdout);
  if (stderr.totalBytes > 0) {
    text.note("[stderr]", "stderr:");
    text.printCaptured(stderr);
  }
  text.note(describeEnding(report).join("\n"));
  if (outcome.leftBehind) text.remark("processes that were left running have been ended");
  text.remark(timeout.remark);
  for (const remark of report.remarks ?? []) text.remark(remark);
  text.note(report.hint, report.hint);
  const details = { ...collectFacts(report), ...text.details, success, ...report.details };
  return { isError: !success, output: text.output, details };
}

function describeEnding({ operation, outcome, timeout, timeoutError }: ScriptReport): string[] {
  if (outcome.timedOut) {
    return [
      `Command timed out after ${timeout.seconds} seconds`,
      errorLine({ operation, issue: timeoutError.issue, code: timeoutError.code }),
    ];
  }
  if (outcome.cancelled) return [errorLine({ operation, issue: "cancelled", code: "CANCELLED" })];
  if (outcome.signal !== null) {
    return [errorLine({ operation, issue: `Process was ended by ${outcome.signal}`, code: "SIGNAL" })];
  }
  return outcome.exitCode === 0 ? [] : [`Exit code: ${outcome.exitCode}`];
}

function collectFacts({ outcome, stdout, stderr, cwd }: ScriptReport): ToolDetails {
  const artifact = stdout.artifact ?? stderr.artifact;
  const artifactProblem = stdout.artifactProblem ?? stderr.artifactProblem;
  return {
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    durationMs: outcome.durationMs,
    timedOut: outcome.timedOut,
    cancelled: outcome.cancelled,
    truncated: stdout.truncated || stderr.truncated,
    stdoutTruncated: stdout.truncated,
    stderrTruncated: stderr.truncated,
    totalBytes: stdout.totalBytes + stderr.totalBytes,
    totalLines: stdout.totalLines + stderr.totalLines,
    cwd,
    ...(artifact === undefined ? {} : { artifact }),
    ...(artifactProblem === undefined ? {} : { artifactProblem }),
    ...(stdout.binary || stderr.binary ? { binary: true } : {}),
    ...(stderr.artifact === undefined ? {} : { stderrArtifact: stderr.artifact }),
  };
}
