/** `omp -p`: one prompt, run to its end. */

import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type AgentSession, type AgentSessionOptions, openAgentSession } from "../app/agent-session.ts";
import { type AnswerSchema, readAnswerSchema } from "../app/answer-schema.ts";
import { exitCodeOf, exitCodes, type HeadlessStatus } from "../app/exit-codes.ts";
import { inputsRoot } from "../app/inputs.ts";
import { type Interruption, interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { count } from "../format/numbers.ts";
import {
  addUsage,
  errorLine,
  type ImageContent,
  noUsage,
  OmpError,
  shownText,
  systemCode,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { HeadlessOutput, type HeadlessResult, isAnswered, type OutputFormat } from "./output.ts";
import { headlessPrompt } from "./prompt.ts";
import { RunLimits } from "./run-limits.ts";
import { streamedPrompts } from "./streamed-prompts.ts";

export interface HeadlessOptions extends AgentSessionOptions {
  readonly prompt?: string | undefined;
  readonly outputFormat: OutputFormat;
  /** A file that the answer is also written to. */
  readonly outputLastMessage?: string | undefined;
  /** A file with the JSON schema that the answer has to fit. */
  readonly outputSchema?: string | undefined;
  /** `stream-json`: a conversation, one prompt a line of stdin. */
  readonly inputFormat?: "text" | "stream-json" | undefined;
  readonly maxTime?: number | undefined;
  readonly maxCost?: number | undefined;
}

export interface HeadlessIo extends CommandIo {
  /** Piped input; undefined when nothing is piped. */
  readonly stdin: ReadableStream<Uint8Array> | undefined;
}

const neverStarted = { text: "", turns: 0, usage: noUsage, sessionId: undefined };

export async function runHeadless(
  options: HeadlessOptions,
  io: HeadlessIo,
  invocation: Invocation,
): Promise<number> {
  const output = new HeadlessOutput(options.outputFormat, io);
  return await interruptible(async (interruption) => {
    try {
      const status = await perform(options, io, invocation, output, interruption);
      if (interruption.exitCode !== undefined) return interruption.exitCode;
      // Without a signal, the reader of the output is gone: the run is not done.
      if (status === "interrupted") return exitCodes.failed;
      const isRead = (await io.delivered?.()) ?? true;
      return status === "done" && !isRead ? exitCodes.failed : exitCodes[status];
    } catch (error) {
      const isForPeople = error instanceof OmpError;
      output.failure(
        isForPeople ? error : { code: "INTERNAL", message: `omp: unexpected: ${error} (INTERNAL)` },
      );
      output.result({ status: "failed", ...neverStarted });
      if (!isForPeople) throw error;
      return exitCodeOf(error);
    }
  });
}

async function perform(
  options: HeadlessOptions,
  io: HeadlessIo,
  invocation: Invocation,
  output: HeadlessOutput,
  { signal }: Interruption,
): Promise<HeadlessStatus> {
  const answerFile =
    options.outputLastMessage === undefined ? undefined : resolve(invocation.cwd, options.outputLastMessage);
  if (answerFile !== undefined) checkWritable(answerFile);
  const warn = (line: string) => io.stderr(`${line}\n`);
  const schema =
    options.outputSchema === undefined
      ? undefined
      : await readAnswerSchema(options.outputSchema, invocation.cwd);
  const pictures = await readPictures(options.image ?? [], invocation.cwd);
  const isConversation = options.inputFormat === "stream-json";
  const prompt = isConversation
    ? undefined
    : await headlessPrompt(options.prompt, io.stdin, {
        directory: inputsRoot(invocation),
        signal,
        warn,
      });
  if (prompt === undefined && !isConversation) {
    output.result({ status: "interrupted", ...neverStarted });
    return "interrupted";
  }
  const session = await openAgentSession(
    { ...options, answerInstruction: schema?.instruction, waitsForAgents: true },
    io,
    invocation,
  ).catch((error: unknown) => {
    prompt?.discard();
    throw error;
  });
  const limits = new RunLimits({ maxTimeSeconds: options.maxTime, maxCostUsd: options.maxCost });
  const run = { session, output, limits, signal: AbortSignal.any([signal, limits.signal]) };
  try {
    const { name, acceptsImages } = session.model.facts;
    const { why } = session.variables;
    if (why !== undefined) warn(`omp: Python variables were not restored: ${why}`);
    if (pictures.length > 0 && !acceptsImages)
      warn(`omp: ${name} does not accept images; it is only told that there was one`);
    limits.start();
    await session.ready(run.signal);
    output.init(session, invocation.cwd);
    const prompts =
      prompt === undefined
        ? streamedPrompts(options.prompt, io.stdin, run.signal)
        : [prompt.message(session.inputs)];
    let status: HeadlessStatus = "done";
    // They belong to the first prompt.
    let shown = pictures;
    for await (const each of prompts) {
      output.begin();
      const typed = each.origin.kind === "stdin" ? (options.prompt ?? "") : shownText(each);
      const { message, problems } = await session.prepare(typed, each, run.signal).catch((error: unknown) => {
        // The run itself says that it was stopped.
        if (!run.signal.aborted) throw error;
        return { message: each, problems: [] };
      });
      if (problems[0] !== undefined) throw problems[0];
      const whole = { ...message, content: [...message.content, ...shown] };
      shown = [];
      status = await respond(run, whole, { schema, answerFile, warn });
      if (run.signal.aborted) break;
    }
    return status;
  } finally {
    limits.close();
    prompt?.discard();
    // After a signal, a second one ends omp at once.
    for (const line of await session.close({ skip: signal.aborted ? undefined : signal })) warn(line);
  }
}

/** Before anything is started: a file that cannot be read ends the run. */
async function readPictures(paths: readonly string[], cwd: string): Promise<readonly ImageContent[]> {
  if (paths.length === 0) return [];
  const { readPicture } = await import("../app/picture-file.ts");
  return await Promise.all(paths.map((path) => readPicture(resolve(cwd, path))));
}

interface Wanted {
  readonly schema: AnswerSchema | undefined;
  readonly answerFile: string | undefined;
  readonly warn: (line: string) => void;
}

/** One prompt, to its result. */
async function respond(
  run: Run,
  prompt: UserMessage,
  { schema, answerFile, warn }: Wanted,
): Promise<HeadlessStatus> {
  const { deniedCall, ...result } = await fittingAnswer(run, prompt, schema);
  // Without an answer the file stays as it is.
  const isWritten =
    answerFile === undefined || !isAnswered(result) || writeAnswer(answerFile, result.text, run.output);
  run.output.result(result);
  if (result.status === "turn_limit") warn(`omp: stopped after ${count(result.turns, "turn")} (TURN_LIMIT)`);
  if (isStopped(result.status) && run.limits.reached !== undefined) warn(run.limits.reached.line);
  if (result.status === "denied") warn(`omp: the model stopped after a denied call: ${deniedCall}`);
  return isWritten || result.status !== "done" ? result.status : "failed";
}

interface Run {
  readonly session: AgentSession;
  readonly output: HeadlessOutput;
  readonly limits: RunLimits;
  /** Of the user and of the limits. */
  readonly signal: AbortSignal;
}

interface Conversed extends HeadlessResult {
  readonly deniedCall: string | undefined;
}

/** An answer that does not fit its schema is asked for once more. */
async function fittingAnswer(
  run: Run,
  prompt: UserMessage,
  schema: AnswerSchema | undefined,
): Promise<Conversed> {
  const first = await converse(run, prompt);
  if (schema === undefined || first.status !== "done") return first;
  const checked = schema.check(first.text);
  if ("answer" in checked) return { ...first, text: checked.answer };
  const request = `Your last message does not fit the JSON schema: ${checked.problem}. Write it again: JSON that fits, and nothing else.`;
  const second = await converse(run, userMessage(request));
  const both = {
    ...second,
    turns: first.turns + second.turns,
    usage: addUsage(first.usage, second.usage),
  };
  if (second.status !== "done") return both;
  const again = schema.check(second.text);
  if ("answer" in again) return { ...both, text: again.answer };
  const code = "OUTPUT_SCHEMA";
  const issue = `the answer does not fit: ${again.problem}`;
  run.output.failure({ code, message: errorLine({ operation: "omp --output-schema", issue, code }) });
  return { ...both, status: "failed" };
}

async function converse({ session, output, limits, signal }: Run, prompt: UserMessage): Promise<Conversed> {
  // The output of a denied call, unless the model has made other calls since: then it could not finish its work.
  let deniedCall: string | undefined;
  for await (const event of session.run(prompt, signal)) {
    limits.observe(event);
    output.event(event);
    await output.caughtUp(signal);
    if (event.type === "assistant" && event.reason === "tool_calls") deniedCall = undefined;
    if (event.type === "tool_result" && event.result.details["approval"] === "denied")
      deniedCall ??= event.result.output;
    if (event.type === "end") {
      const { type: _, ...ended } = event;
      const denied = event.status === "done" && deniedCall !== undefined ? "denied" : event.status;
      const status = event.status === "interrupted" ? (limits.reached?.status ?? "interrupted") : denied;
      return { ...ended, status, sessionId: session.sessionId, deniedCall };
    }
  }
  throw new Error("a run ended without its last event");
}

function isStopped(status: HeadlessStatus): boolean {
  return status === "cost_limit" || status === "time_limit";
}

/** Before the model is asked: an answer that cannot be written would be lost. */
function checkWritable(file: string): void {
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    if (existing?.isDirectory()) throw Object.assign(new Error(`a directory: ${file}`), { code: "EISDIR" });
    // An existing file is written in place (/dev/null, a pipe of the shell): its directory need not be writable.
    if (existing === undefined) accessSync(dirname(file), constants.W_OK | constants.X_OK);
    else accessSync(file, constants.W_OK);
  } catch (error) {
    throw unwritableError(file, error);
  }
}

/** @returns false when it failed; the answer is on stdout in any case. */
function writeAnswer(file: string, text: string, output: HeadlessOutput): boolean {
  try {
    writeFileSync(file, text, { mode: 0o600 });
    return true;
  } catch (error) {
    output.failure(unwritableError(file, error));
    return false;
  }
}

function unwritableError(file: string, error: unknown): OmpError {
  const code = systemCode(error) ?? "EIO";
  const issue = `cannot write the answer to '${file}'`;
  return new OmpError({ operation: "omp", issue, code }, { cause: error });
}
