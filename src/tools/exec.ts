/** `exec`: code of one of three languages in a fresh process. Nothing persists, nothing survives the call. */

import * as z from "zod";
import prompt from "../../prompts/tools/exec.md" with { type: "text" };
import { OutputSink } from "../output/sink.ts";
import { withPrivateFile } from "../process/private-file.ts";
import { runFresh } from "../process/run-fresh.ts";
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
import { scriptResult } from "./script-result.ts";
import type { ScriptServices } from "./script-services.ts";
import { shareLimit } from "./shared-limit.ts";
import { ToolError } from "./tool-error.ts";

const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: 600, fallback: 30 };

/** Of stdout and stderr together: start and end are kept. */
const shown = { keep: "middle", maxBytes: 1024 * 1024 } as const;

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

  const sink = { policy: shown, artifacts: services.artifacts(), onText: context.onUpdate };
  const stdout = new OutputSink(sink);
  const stderr = new OutputSink(sink);
  const start = (args: readonly string[]) =>
    runFresh({
      argv: [program, ...args],
      cwd,
      env,
      timeoutMs: timeout.milliseconds,
      signal: context.signal,
      onStdout: (chunk) => stdout.write(chunk),
      onStderr: (chunk) => stderr.write(chunk),
    });

  const language = languageStarts[input.language];
  try {
    const outcome = fitsInline(input.code)
      ? await start(language.inline(input.code))
      : await withPrivateFile({ name: language.fileName, content: input.code }, (path) =>
          start(language.fromFile(path, program)),
        );
    return scriptResult({
      operation: "exec",
      outcome,
      ...shareLimit({ stdout: stdout.finish(), stderr: stderr.finish() }, shown.maxBytes),
      cwd,
      timeout,
      timeoutError: { issue: `Process timeout after ${timeout.seconds}s`, code: "TIMEOUT" },
      notes: [],
    });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new ToolError({ operation: "exec", issue: error.issue, code: error.code }, { cause: error });
  } finally {
    stdout.finish();
    stderr.finish();
  }
}
