/** `bash`: a command in the session's persistent shell, or on its own in the background. */

import * as z from "zod";
import prompt from "../../prompts/tools/bash.md" with { type: "text" };
import { formatLimit } from "../format/durations.ts";
import { count } from "../format/numbers.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import { type CapturedOutput, OutputSink } from "../output/sink.ts";
import { modelTail } from "../output/truncation.ts";
import {
  errorLine,
  type Tool,
  type ToolContext,
  type ToolDetails,
  type ToolResult,
} from "../protocol/index.ts";
import type { ShellOutcome } from "../shell/shell-outcome.ts";
import type { Shells } from "../shell/shells.ts";
import { defineTool } from "./define-tool.ts";
import {
  type ChosenTimeout,
  chooseTimeout,
  flagField,
  resolveWorkingDirectory,
  type TimeoutRange,
  textField,
  timeoutField,
} from "./fields.ts";
import { captureDetails, ResultText } from "./result-text.ts";
import { joinStreams } from "./stream-order.ts";

const timeoutRange: TimeoutRange = { unit: "milliseconds", min: 1000, max: 600_000, fallback: 120_000 };

/** What `details` repeats of each stream alone. */
const streamTail = { keep: "tail", maxChars: 10_000, maxLines: 500 } as const;

const schema = z.strictObject({
  command: textField("The command to run, as bash reads it; several lines are fine."),
  description: textField("What the command does, in 5 to 10 words.").optional(),
  timeout: timeoutField(timeoutRange),
  run_in_background: flagField("Start it and return at once. Without `timeout` it has no limit."),
  cwd: textField("Directory for this command only; default: where the shell is.").optional(),
  no_sandbox: flagField("Ask the user to run it outside the sandbox, in a new shell."),
});
/** Where there is nothing to leave, or nobody to ask. */
const confinedSchema = schema.omit({ no_sandbox: true });

export type BashInput = z.output<typeof schema>;

export interface BashToolOptions {
  readonly shells: () => Shells;
  /** Where the whole output is kept. */
  readonly artifacts: () => ArtifactStore | undefined;
  /** Whether there is a sandbox that the user can be asked to leave. */
  readonly canLeaveSandbox?: (() => boolean) | undefined;
}

export function bashTool(options: BashToolOptions): Tool<BashInput> {
  return defineTool({
    name: "bash",
    prompt,
    schema,
    shown: () => (options.canLeaveSandbox?.() === true ? schema : confinedSchema),
    readOnly: false,
    summary: ({ command }) => command,
    run: async (input, context) => {
      const call = { ...input, ...placeOf(input, context, options) };
      return input.run_in_background === true
        ? startInBackground(call, options)
        : runInShell(call, context, options);
    },
  });
}

type PlacedCall = BashInput & { readonly isOutside: boolean };

/** A shell outside the sandbox starts where the one inside is, by the name that the directory has outside. */
function placeOf(
  { cwd: requested, no_sandbox }: BashInput,
  context: ToolContext,
  { shells }: BashToolOptions,
): Pick<PlacedCall, "cwd" | "isOutside"> {
  const { sandbox } = context;
  const isOutside = no_sandbox === true && sandbox !== undefined;
  const wanted = requested ?? (isOutside ? (shells().cwd ?? context.cwd) : undefined);
  const cwd = wanted === undefined ? undefined : resolveWorkingDirectory("bash", wanted, context);
  return { cwd: isOutside && cwd !== undefined ? sandbox.outside(cwd) : cwd, isOutside };
}

async function startInBackground(input: PlacedCall, options: BashToolOptions): Promise<ToolResult> {
  // Without one it may run as long as the session.
  const timeout = input.timeout === undefined ? undefined : chooseTimeout(input.timeout, timeoutRange);
  const { id, copy, status, cwd } = await options.shells().startBackground(input.command, {
    cwd: input.cwd,
    isOutside: input.isOutside,
    timeoutMs: timeout?.milliseconds,
    keepOutput: () => options.artifacts()?.create(),
  });
  const artifact = copy?.problem === undefined ? copy?.id : undefined;
  const kept = artifact === undefined ? "" : `; all of it is kept in artifact://${artifact}`;
  const text = new ResultText();
  text.note(
    `Started in the background as ${id}. Read its output with bash_output, end it with kill_shell${kept}.`,
  );
  if (timeout !== undefined) text.note(`It is ended after ${formatLimit(timeout.milliseconds)}.`);
  text.remark(timeout?.remark);
  return {
    isError: false,
    output: text.output,
    details: {
      ...{ shellId: id, status, cwd },
      ...(artifact === undefined ? {} : { artifact }),
      ...outsideDetails(input),
      ...text.details,
    },
  };
}

async function runInShell(
  input: PlacedCall,
  context: ToolContext,
  options: BashToolOptions,
): Promise<ToolResult> {
  const timeout = chooseTimeout(input.timeout, timeoutRange);
  const shells = options.shells();
  const shell = input.isOutside ? { run: shells.runOutside } : await shells.persistent();
  const both = new OutputSink({
    policy: modelTail,
    artifacts: options.artifacts(),
    onText: context.onUpdate,
  });
  const stdout = new OutputSink({ policy: streamTail });
  const stderr = new OutputSink({ policy: streamTail });
  const order = joinStreams((bytes) => both.write(bytes));
  try {
    const outcome = await shell.run(input.command, {
      timeoutMs: timeout.milliseconds,
      signal: context.signal,
      cwd: input.cwd,
      onStdout: (chunk) => {
        order.write("stdout", chunk);
        stdout.write(chunk);
      },
      onStderr: (chunk) => {
        order.write("stderr", chunk);
        stderr.write(chunk);
      },
    });
    order.end();
    const streams = { stdout: stdout.finish(), stderr: stderr.finish() };
    const result = buildBashResult(outcome, timeout, both.finish(), streams);
    return { ...result, details: { ...result.details, ...outsideDetails(input) } };
  } finally {
    for (const sink of [both, stdout, stderr]) sink.finish();
  }
}

function outsideDetails({ isOutside }: PlacedCall): Pick<ToolDetails, "outsideSandbox"> {
  return isOutside ? { outsideSandbox: true } : {};
}

function buildBashResult(
  outcome: ShellOutcome,
  timeout: ChosenTimeout,
  both: CapturedOutput,
  { stdout, stderr }: { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput },
): ToolResult {
  const success = outcome.exitCode === 0 && !outcome.timedOut && !outcome.cancelled;
  const text = new ResultText();
  addLateOutput(text, outcome);
  text.printCaptured(both);
  text.note(describeEnding(outcome, timeout));
  for (const note of outcome.notes) text.remark(note);
  text.remark(timeout.remark);
  const details = {
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    durationMs: outcome.durationMs,
    timedOut: outcome.timedOut,
    cancelled: outcome.cancelled || outcome.timedOut,
    ...captureDetails(both),
    cwd: outcome.cwd,
    ...(outcome.replaced ? { shellReplaced: true } : {}),
    ...(stderr.totalBytes === 0 ? {} : { stdout: stdout.text, stderr: stderr.text }),
    ...text.details,
  };
  return { isError: !success, output: text.output, details };
}

function describeEnding(outcome: ShellOutcome, timeout: ChosenTimeout): string | undefined {
  if (outcome.timedOut) return `Command timed out after ${timeout.seconds} seconds`;
  if (outcome.cancelled) return errorLine({ operation: "bash", issue: "cancelled", code: "CANCELLED" });
  if (outcome.exitCode === null)
    return errorLine({
      operation: "bash",
      issue: `ended by ${outcome.signal ?? "a signal"}`,
      code: "SIGNAL",
    });
  if (outcome.exitCode === 0) return undefined;
  return `Exit code: ${outcome.exitCode}${outcome.signal === null ? "" : ` (${outcome.signal})`}`;
}

/** Apart from the command's own output: it belongs to an earlier one. */
function addLateOutput(text: ResultText, { late }: ShellOutcome): void {
  if (late === undefined) return;
  const sink = new OutputSink({ policy: streamTail });
  sink.write(late.text);
  const bytes = count(late.bytes, "byte");
  text.note(
    `[background jobs have written ${bytes} since the last command, the end of which is:]`,
    `background jobs wrote ${bytes} since the last command:`,
  );
  text.print(sink.finish().text.replace(/\n$/, ""));
  text.note("[end of it]", "end of their output");
}
