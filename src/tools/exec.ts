/** `exec`: code of one of three languages in a fresh process. Nothing persists, nothing survives the call. */

import * as z from "zod";
import prompt from "../../prompts/tools/exec.md" with { type: "text" };
import { count } from "../format/numbers.ts";
import { cutHeadBytes, cutTailBytes } from "../output/cut.ts";
import type { CapturedOutput } from "../output/sink.ts";
import { execMiddle } from "../output/truncation.ts";
import { withPrivateFile } from "../process/private-file.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import type { Tool, ToolContext, ToolResult } from "../protocol/index.ts";
import { defineTool } from "./define-tool.ts";
import { execLanguages, findProgram, fitsInline, languageStarts } from "./exec-languages.ts";
import {
  chooseTimeout,
  resolveWorkingDirectory,
  type TimeoutRange,
  textField,
  timeoutField,
} from "./fields.ts";
import { buildScriptResult, runScript, type ScriptRun, type ScriptServices } from "./run-script.ts";
import { ToolError } from "./tool-error.ts";

const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: 600, fallback: 30 };

const schema = z.strictObject({
  language: z.enum(execLanguages).describe("The language of the code."),
  code: textField("The code to run, exactly as it is."),
  cwd: textField("Working directory; default: that of the session.").optional(),
  timeout: timeoutField(timeoutRange),
});

const outputLimitError = { issue: "Output exceeded 1 MB; the middle is left out", code: "OUTPUT_LIMIT" };

export type ExecInput = z.output<typeof schema>;

export function execTool(services: ScriptServices): Tool<ExecInput> {
  return defineTool({
    name: "exec",
    prompt,
    schema,
    readOnly: false,
    summary: ({ language, code }) => `${language}: ${code}`,
    run: (input, context) => exec(input, context, services),
  });
}

async function exec(input: ExecInput, context: ToolContext, services: ScriptServices): Promise<ToolResult> {
  const timeout = chooseTimeout(input.timeout, timeoutRange);
  const cwd = resolveWorkingDirectory("exec", input.cwd, context);
  const interpreter = await services.findInterpreter();
  const env = services.environment(interpreter.found);
  const program = findProgram(input.language, { env, cwd, interpreter });

  const language = languageStarts[input.language];
  const capture = { stdout: execMiddle, stderr: execMiddle, keepsReturns: true };
  try {
    const captured = await runScript(
      {
        ...{ cwd, env, timeout, context, ...capture },
        artifacts: services.artifacts(),
        confinement: services.confinement?.(),
      },
      (start) =>
        fitsInline(input.code)
          ? start([program, ...language.inline(input.code)])
          : withPrivateFile(
              { name: language.fileName, content: language.source?.(input.code) ?? input.code },
              (path) => start([program, ...language.fromFile(path, program)], { readable: [path] }),
            ),
    );
    const run = shareLimit(captured, execMiddle.maxBytes);
    return buildScriptResult({
      operation: "exec",
      ...run,
      cwd,
      timeout,
      timeoutError: { issue: `Process timeout after ${timeout.seconds}s`, code: "TIMEOUT" },
      outputError: run.stdout.truncated || run.stderr.truncated ? outputLimitError : undefined,
    });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new ToolError({ operation: "exec", issue: error.issue, code: error.code }, { cause: error });
  }
}

/**
 * One limit for stdout and stderr together: what one does not need the other may use; if both are long, each gets half. Each has
 * been cut to `maxBytes` already, by its own sink, before the other's length was known.
 */
function shareLimit(run: ScriptRun, maxBytes: number): ScriptRun {
  const out = Buffer.byteLength(run.stdout.text);
  const err = Buffer.byteLength(run.stderr.text);
  // One stream alone is as its sink cut it, the sink's own words on top of the limit.
  if (out + err <= maxBytes || out === 0 || err === 0) return run;
  const half = Math.floor(maxBytes / 2);
  const errShare = Math.min(err, Math.max(half, maxBytes - out));
  return { ...run, stdout: recut(run.stdout, maxBytes - errShare), stderr: recut(run.stderr, errShare) };
}

function recut(captured: CapturedOutput, maxBytes: number): CapturedOutput {
  const bytes = Buffer.from(captured.text);
  if (bytes.length <= maxBytes) return captured;
  const half = Math.floor(maxBytes / 2);
  const head = cutHeadBytes(bytes, half).toString("utf8");
  const tail = cutTailBytes(bytes, maxBytes - half).toString("utf8");
  const where = captured.artifact === undefined ? "" : `; full output: artifact://${captured.artifact}`;
  return {
    ...captured,
    text: `${head}${head.endsWith("\n") ? "" : "\n"}[… cut here …]\n${tail}`,
    notice: `[output cut: start and end of ${count(captured.totalBytes, "byte")} are shown${where}]`,
    truncated: true,
  };
}
