/** `omp tool`: the tools without a model. Lists them, runs one, or runs a batch of calls in one session. */

import { withErrorLine } from "../app/exit-codes.ts";
import { type Interruption, interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { wholeText } from "../app/lines.ts";
import { jsonText, tableLines } from "../app/printing.ts";
import type { SandboxChoice } from "../app/sandbox.ts";
import { openServices, type Services } from "../app/services.ts";
import { callTool, resultFields } from "../app/tool-call.ts";
import { switchedOffReason, unknownToolError } from "../app/tool-choice.ts";
import type { ApprovalChoice } from "../app/toolbox.ts";
import { OmpError, type Tool } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { asRecord } from "../protocol/record.ts";
import { runBatch } from "./tool-batch.ts";

export interface ToolOptions {
  readonly name?: string | undefined;
  /** JSON; `-` reads it from stdin; nothing means `{}`. */
  readonly input?: string | undefined;
  readonly json?: boolean | undefined;
  readonly batch?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly approval?: ApprovalChoice["approval"];
  readonly sandbox?: SandboxChoice;
  /** The connection file of an existing kernel. */
  readonly kernel?: string | undefined;
}

export interface ToolIo extends CommandIo {
  /** The process's own unless given. */
  readonly stdin?: ReadableStream<Uint8Array> | undefined;
}

/** The exit code: 0, 1 when a result is an error, 2 for bad usage or settings, 130 and 143 for the two signals. */
export async function runTool(options: ToolOptions, io: ToolIo, invocation: Invocation): Promise<number> {
  const run = (interruption: Interruption) => async () => {
    const { kernel, approval, sandbox } = options;
    const services = await openServices(invocation, io, { kernel, approval, sandbox });
    try {
      const exitCode = await perform({ options, io, services, signal: interruption.signal });
      return interruption.exitCode ?? exitCode;
    } finally {
      for (const line of await services.close()) io.stderr(`${line}\n`);
    }
  };
  return await interruptible((interruption) => withErrorLine(io, run(interruption), () => 2));
}

interface Run {
  readonly options: ToolOptions;
  readonly io: ToolIo;
  readonly services: Services;
  readonly signal: AbortSignal;
}

async function perform(run: Run): Promise<number> {
  const { options, io, services, signal } = run;
  if (options.batch) {
    if (options.name !== undefined) {
      const issue = "--batch reads its calls from stdin; do not name a tool";
      throw new OmpError({ operation: "omp tool", issue, code: "USAGE" });
    }
    return await runBatch({
      services,
      signal,
      stdin: io.stdin ?? Bun.stdin.stream(),
      write: (line) => io.stdout(`${line}\n`),
      call: (name, input) => call(run, name, input),
    });
  }
  if (options.name === undefined) {
    await services.mcp?.ready(signal);
    const tools = await offeredTools(services, io);
    io.stdout(options.json ? jsonList(tools) : table(tools));
    return 0;
  }
  return await runOne(run, options.name);
}

/** What a model would be given here: without `python` where it cannot work, and then the reason is printed. */
async function offeredTools(services: Services, io: CommandIo): Promise<readonly Tool[]> {
  const { mode, degraded, why } = await services.python.toolMode();
  if (degraded) io.stderr(`${why}\n`);
  return [...services.toolsIn(mode), ...(services.mcp?.tools ?? [])];
}

async function runOne(run: Run, name: string): Promise<number> {
  const { options, io, services, signal } = run;
  await services.mcp?.readyFor(name, signal);
  if (services.tools.get(name) === undefined) {
    const issue = switchedOffReason(name, services);
    if (issue !== undefined) throw new OmpError({ operation: "omp tool", issue, code: "UNKNOWN_TOOL" });
    throw unknownToolError("omp tool", name, services.tools.names);
  }
  const text =
    options.input === "-" ? await wholeText(io.stdin ?? Bun.stdin.stream(), signal) : options.input;
  // Interrupted while it waited for the input: nothing runs.
  if (signal.aborted) return 0;
  const result = await call(run, name, parseInput(text ?? "{}"));
  if (options.json) io.stdout(`${JSON.stringify({ name, ...resultFields(result) })}\n`);
  else io.stdout(result.output.endsWith("\n") ? result.output : `${result.output}\n`);
  return result.isError ? 1 : 0;
}

async function call({ options, io, services, signal }: Run, name: string, input: unknown) {
  await services.mcp?.readyFor(name, signal);
  // A user whose stdout is redirected still sees that something happens.
  const live = !options.json && !options.batch && process.stderr.isTTY && !process.stdout.isTTY;
  return await callTool(services, {
    name,
    input,
    signal,
    dryRun: options.dryRun ?? false,
    onUpdate: (text) => {
      if (live) io.stderr(text);
    },
    onBug: io.stderr,
  });
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const issue = `input is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new OmpError({ operation: "omp tool", issue, code: "INVALID_JSON" }, { cause: error });
  }
}

function jsonList(tools: readonly Tool[]): string {
  return jsonText(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

/** Name, first line of the description, and the input's fields: `{language, code, cwd?, timeout?}`. */
function table(tools: readonly Tool[]): string {
  const rows = tools.flatMap(({ name, description, inputSchema }) => [
    [name, description.split("\n", 1)[0] ?? ""],
    ["", fields(inputSchema)],
  ]);
  return `${[...tableLines(rows), "", "The JSON schemas: omp tool --json"].join("\n")}\n`;
}

function fields({ properties, required }: Readonly<Record<string, unknown>>): string {
  const needed = Array.isArray(required) ? required : [];
  const names = Object.keys(asRecord(properties));
  return `{${names.map((name) => (needed.includes(name) ? name : `${name}?`)).join(", ")}}`;
}
