/**
 * What the model reads about a program that ran once, and the facts for scripts. Text in this order: stdout, stderr under
 * its heading, how it ended, what else is worth knowing.
 */

import type { CapturedOutput } from "../output/sink.ts";
import type { ProcessOutcome } from "../process/run-fresh.ts";
import { errorLine, type ToolDetails, type ToolResult } from "../protocol/index.ts";
import type { ChosenTimeout } from "./fields.ts";

export interface ScriptRun {
  readonly operation: string;
  readonly outcome: ProcessOutcome;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly cwd: string;
  readonly timeout: ChosenTimeout;
  /** The tool's own words and code for a timeout. */
  readonly timeoutError: { readonly issue: string; readonly code: string };
  /** Further lines for the model. */
  readonly notes: readonly (string | undefined)[];
  /** Facts that only this tool has. */
  readonly details?: ToolDetails;
}

export function scriptResult(run: ScriptRun): ToolResult {
  const { outcome, stdout, stderr, timeout } = run;
  const success = outcome.exitCode === 0 && !outcome.timedOut && !outcome.cancelled;
  const printed = [captured(stdout), stderr.totalBytes > 0 ? `[stderr]\n${captured(stderr)}` : ""];
  const told = [
    ...ending(run),
    outcome.leftBehind ? "[processes that were left running have been ended]" : undefined,
    timeout.notice,
    ...run.notes,
  ];
  const parts = [...printed, ...told].filter((part) => part !== undefined && part !== "");
  return {
    isError: !success,
    output: parts.length === 0 ? "(no output)" : parts.join("\n"),
    details: { ...facts(run), success, ...run.details },
  };
}

function captured({ text, notice }: CapturedOutput): string {
  const body = text.replace(/\n$/, "");
  return notice === undefined ? body : `${body}\n${notice}`;
}

function ending({ operation, outcome, timeout, timeoutError }: ScriptRun): string[] {
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

function facts({ outcome, stdout, stderr, cwd }: ScriptRun): ToolDetails {
  const artifact = stdout.artifact ?? stderr.artifact;
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
    ...(stderr.artifact === undefined ? {} : { stderrArtifact: stderr.artifact }),
  };
}
