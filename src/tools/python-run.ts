/** `python_run`: a Python script, run to its end in a fresh process; its exit code is the result. */

import * as z from "zod";
import prompt from "../../prompts/tools/python_run.md" with { type: "text" };
import { OutputSink } from "../output/sink.ts";
import { scriptStderrHead, scriptStdoutHead } from "../output/truncation.ts";
import { withPrivateFile } from "../process/private-file.ts";
import { type ProcessOutcome, runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import type { Tool, ToolContext, ToolResult } from "../protocol/index.ts";
import { describeTried, type Interpreter, type InterpreterSearch } from "../python/interpreter.ts";
import { defineTool } from "./define-tool.ts";
import {
  type ChosenTimeout,
  chooseTimeout,
  resolveWorkingDirectory,
  type TimeoutRange,
  textField,
  timeoutField,
} from "./fields.ts";
import { missingModuleHint } from "./missing-module.ts";
import { scriptFile } from "./script-file.ts";
import { scriptResult } from "./script-result.ts";
import type { ScriptServices } from "./script-services.ts";
import { ToolError } from "./tool-error.ts";

export interface PythonRunServices extends ScriptServices {
  /** The setting `python.scriptTimeout`. */
  readonly scriptTimeoutSeconds: number;
}

const operation = "python_run";
/** Enough for the last lines of a traceback. */
const stderrTailChars = 4_000;

function inputSchema(timeoutRange: TimeoutRange) {
  return z
    .strictObject({
      code: textField("Python code to run. Goes before `file` when both are given.").optional(),
      file: textField("Script to run: a path, or @project/… for one inside the project.").optional(),
      args: z.array(textField("")).optional().describe("Arguments for the script: sys.argv[1:]."),
      cwd: textField("Working directory; default: the project's root.").optional(),
      timeout: timeoutField(timeoutRange),
    })
    .refine(({ code, file }) => Boolean(code) || Boolean(file), {
      error: "requires either 'code' or 'file'",
    });
}

export type PythonRunInput = z.output<ReturnType<typeof inputSchema>>;

export function pythonRunTool(services: PythonRunServices): Tool<PythonRunInput> {
  // A user who allows scripts more than ten minutes allows it to the model's own numbers, too.
  const fallback = services.scriptTimeoutSeconds;
  const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: Math.max(600, fallback), fallback };
  return defineTool({
    name: operation,
    prompt,
    schema: inputSchema(timeoutRange),
    concurrency: "exclusive",
    readOnly: false,
    summary: ({ code, file, args = [] }) => ["python", code ? `-c ${code}` : (file ?? ""), ...args].join(" "),
    run: (input, context) => pythonRun(input, context, services, chooseTimeout(input.timeout, timeoutRange)),
  });
}

async function pythonRun(
  input: PythonRunInput,
  context: ToolContext,
  services: PythonRunServices,
  timeout: ChosenTimeout,
): Promise<ToolResult> {
  const cwd =
    input.cwd === undefined
      ? resolveWorkingDirectory(operation, undefined, context.projectRoot)
      : resolveWorkingDirectory(operation, input.cwd, context.cwd);
  const file = input.code ? undefined : findScript(input, context, cwd);
  const interpreter = chosen(services.findInterpreter());
  const env = services.environment(interpreter);

  const common = { artifacts: services.artifacts(), onText: context.onUpdate };
  const stdout = new OutputSink({ ...common, policy: scriptStdoutHead });
  const stderr = new OutputSink({ ...common, policy: scriptStderrHead });
  let stderrTail = "";
  const start = (script: string): Promise<ProcessOutcome> =>
    runFresh({
      // -E: no PYTHON* variables; -s: no user site; -u: what was printed before a timeout is not lost in a buffer.
      argv: [interpreter.path, "-E", "-s", "-u", script, ...(input.args ?? [])],
      cwd,
      env,
      timeoutMs: timeout.milliseconds,
      signal: context.signal,
      onStdout: (chunk) => stdout.write(chunk),
      onStderr: (chunk) => {
        stderr.write(chunk);
        stderrTail = (stderrTail + Buffer.from(chunk).toString("latin1")).slice(-stderrTailChars);
      },
    });

  try {
    const outcome =
      file === undefined
        ? await withPrivateFile({ name: "script.py", content: input.code ?? "" }, start)
        : await start(file);
    const failed = outcome.exitCode !== null && outcome.exitCode !== 0;
    const where = { interpreter, env, cwd, fromCode: file === undefined };
    return scriptResult({
      operation,
      outcome,
      stdout: stdout.finish(),
      stderr: stderr.finish(),
      cwd,
      timeout,
      timeoutError: { issue: `Script exceeded timeout (${timeout.seconds}s)`, code: "PYTHON_TIMEOUT" },
      notes: [
        input.code && input.file ? "[both code and file were given: code was run, file was not]" : undefined,
        failed ? missingModuleHint({ stderr: stderrTail, ...where }) : undefined,
      ],
      details: { interpreter: interpreter.path },
    });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    const issue = `${error.issue}: ${error.code}`;
    throw new ToolError({ operation, issue, code: "PYTHON_EXEC_FAILED" }, { cause: error });
  } finally {
    stdout.finish();
    stderr.finish();
  }
}

/** A plain relative path is relative to `cwd` where the call names one, else to the session's working directory. */
function findScript(input: PythonRunInput, context: ToolContext, cwd: string): string {
  const base = input.cwd === undefined ? context.cwd : cwd;
  return scriptFile({ operation, file: input.file ?? "", cwd: base, projectRoot: context.projectRoot });
}

function chosen(search: InterpreterSearch): Interpreter {
  if (search.found !== undefined) return search.found;
  const issue = `no Python interpreter found (${describeTried(search).join("; ")}); 'omp setup' makes one`;
  throw new ToolError({ operation, issue, code: "PYTHON_NOT_FOUND" });
}
