/** `python_run`: a Python script, run to its end in a fresh process; its exit code is the result. */

import * as z from "zod";
import prompt from "../../prompts/tools/python_run.md" with { type: "text" };
import { scriptStderrHead, scriptStdoutHead } from "../output/truncation.ts";
import { withPrivateFile } from "../process/private-file.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import type { Tool, ToolContext, ToolResult } from "../protocol/index.ts";
import type { Interpreter, InterpreterSearch } from "../python/interpreter.ts";
import { describeTried } from "../python/interpreter-words.ts";
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
import { resolveScript } from "./paths.ts";
import { pythonSource } from "./python-source.ts";
import { buildScriptResult, runScript, type ScriptServices } from "./run-script.ts";
import { ToolError } from "./tool-error.ts";

export interface PythonRunServices extends ScriptServices {
  /** The setting `python.scriptTimeout`. */
  readonly scriptTimeoutSeconds: number;
}

const operation = "python_run";
/** Enough for the last lines of a traceback. */
const STDERR_TAIL_CHARS = 4_000;

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
  // A user who allows scripts more than ten minutes allows the model to ask for that much as well.
  const fallback = services.scriptTimeoutSeconds;
  const timeoutRange: TimeoutRange = { unit: "seconds", min: 1, max: Math.max(600, fallback), fallback };
  return defineTool({
    name: operation,
    prompt,
    schema: inputSchema(timeoutRange),
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
      ? resolveWorkingDirectory(operation, context.projectRoot, context)
      : resolveWorkingDirectory(operation, input.cwd, context);
  const file = input.code ? undefined : findScript(input, context, cwd);
  const interpreter = requireInterpreter(await services.findInterpreter());
  const env = services.environment(interpreter);

  let stderrTail = "";
  const onStderr = (chunk: Uint8Array) => {
    stderrTail = (stderrTail + Buffer.from(chunk).toString("latin1")).slice(-STDERR_TAIL_CHARS);
  };
  const capture = {
    artifacts: services.artifacts(),
    confinement: services.confinement?.(),
    stdout: scriptStdoutHead,
    stderr: scriptStderrHead,
    onStderr,
  };
  try {
    const run = await runScript({ cwd, env, timeout, context, ...capture }, (start) => {
      // -E: no PYTHON* variables; -s: no user site; -u: what was printed before a timeout is not lost in a buffer.
      const runFile = (path: string) =>
        start([interpreter.path, "-E", "-s", "-u", path, ...(input.args ?? [])], { readable: [path] });
      return file === undefined
        ? withPrivateFile({ name: "script.py", content: pythonSource(input.code ?? "") }, runFile)
        : runFile(file);
    });
    const failed = run.outcome.exitCode !== null && run.outcome.exitCode !== 0;
    const where = { interpreter, env, cwd, fromCode: file === undefined };
    return buildScriptResult({
      operation,
      ...run,
      cwd,
      timeout,
      timeoutError: { issue: `Script exceeded timeout (${timeout.seconds}s)`, code: "PYTHON_TIMEOUT" },
      remarks: input.code && input.file ? ["both code and file were given: code was run, file was not"] : [],
      hint: failed ? missingModuleHint({ stderr: stderrTail, ...where }) : undefined,
      details: { interpreter: interpreter.path },
    });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    const issue = `${error.issue}: ${error.code}`;
    throw new ToolError({ operation, issue, code: "PYTHON_EXEC_FAILED" }, { cause: error });
  }
}

/** A plain relative path is relative to `cwd` where the call names one, else to the session's working directory. */
function findScript(input: PythonRunInput, context: ToolContext, cwd: string): string {
  const base = input.cwd === undefined ? context.cwd : cwd;
  const { projectRoot, sandbox } = context;
  return resolveScript({ operation, file: input.file ?? "", cwd: base, projectRoot, sandbox });
}

function requireInterpreter(search: InterpreterSearch): Interpreter {
  if (search.found !== undefined) return search.found;
  const issue = `no Python interpreter found (${describeTried(search).join("; ")}); 'omp setup' makes one`;
  throw new ToolError({ operation, issue, code: "PYTHON_NOT_FOUND" });
}
