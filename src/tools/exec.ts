/** `exec`: code of one of three languages in a fresh process. Nothing persists, nothing survives the call. */

import * as z from "zod";
import prompt from "../../prompts/tools/exec.md" with { type: "text" };
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
import { buildScriptResult, runScript, type ScriptServices } from "./run-script.ts";
import { shareLimit } from "./shared-limit.ts";
import { ToolError } from "./tool-error.ts";

const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: 600, fallback: 30 };

const schema = z.strictObject({
  language: z.enum(execLanguages).describe("The language of the code."),
  code: textField("The code to run, exactly as it is."),
  cwd: textField("Working directory; default: that of the session.").optional(),
  timeout: timeoutField(timeoutRange),
});

export type ExecInput = z.output<typeof schema>;

export function execTool(services: ScriptServices): Tool<ExecInput> {
  return defineTool({
    name: "exec",
    prompt,
    schema,
    concurrency: "exclusive",
    readOnly: false,
    summary: ({ language, code }) => `${language}: ${code}`,
    run: (input, context) => exec(input, context, services),
  });
}

async function exec(input: ExecInput, context: ToolContext, services: ScriptServices): Promise<ToolResult> {
  const timeout = chooseTimeout(input.timeout, timeoutRange);
  const cwd = resolveWorkingDirectory("exec", input.cwd, context.cwd);
  const interpreter = services.findInterpreter();
  const env = services.environment(interpreter.found);
  const program = findProgram(input.language, { env, cwd, interpreter });

  const language = languageStarts[input.language];
  try {
    const run = await runScript(
      { cwd, env, timeout, context, artifacts: services.artifacts(), stdout: execMiddle, stderr: execMiddle },
      (start) =>
        fitsInline(input.code)
          ? start([program, ...language.inline(input.code)])
          : withPrivateFile({ name: language.fileName, content: input.code }, (path) =>
              start([program, ...language.fromFile(path, program)]),
            ),
    );
    return buildScriptResult({
      operation: "exec",
      ...run,
      ...shareLimit(run, execMiddle.maxBytes),
      cwd,
      timeout,
      timeoutError: { issue: `Process timeout after ${timeout.seconds}s`, code: "TIMEOUT" },
    });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new ToolError({ operation: "exec", issue: error.issue, code: error.code }, { cause: error });
  }
}
