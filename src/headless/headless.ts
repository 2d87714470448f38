/** `omp -p`: one prompt, run to its end. */

import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type AgentSession, type AgentSessionOptions, openAgentSession } from "../app/agent-session.ts";
import { exitCodeOf, exitCodes, type HeadlessStatus } from "../app/exit-codes.ts";
import { type Interruption, interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { count } from "../format/numbers.ts";
import { type ImageContent, noUsage, OmpError, systemCode, type UserMessage } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { HeadlessOutput, type HeadlessResult, isAnswered, type OutputFormat } from "./output.ts";
import { headlessPrompt } from "./prompt.ts";

export interface HeadlessOptions extends AgentSessionOptions {
  readonly prompt?: string | undefined;
  readonly outputFormat: OutputFormat;
  /** A file that the answer is also written to. */
  readonly outputLastMessage?: string | undefined;
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
  const pictures = await readPictures(options.image ?? [], invocation.cwd);
  const typed = await headlessPrompt(options.prompt, io.stdin, { signal, warn });
  if (typed === undefined) {
    output.result({ status: "interrupted", ...neverStarted });
    return "interrupted";
  }
  const prompt = { ...typed, content: [...typed.content, ...pictures] };
  const session = await openAgentSession(options, io, invocation);
  try {
    const { name, acceptsImages } = session.model.facts;
    if (pictures.length > 0 && !acceptsImages)
      warn(`omp: ${name} does not take pictures: it is only told that there was one`);
    await session.ready(signal);
    output.init(session, invocation.cwd);
    const { deniedCall, ...result } = await converse(session, prompt, output, signal);
    // Without an answer the file stays as it is.
    const isWritten =
      answerFile === undefined || !isAnswered(result) || writeAnswer(answerFile, result.text, output);
    output.result(result);
    if (result.status === "turn_limit")
      warn(`omp: stopped after ${count(result.turns, "turn")} (TURN_LIMIT)`);
    if (result.status === "denied") warn(`omp: the model gave up after a denied call: ${deniedCall}`);
    return isWritten || result.status !== "done" ? result.status : "failed";
  } finally {
    for (const line of await session.close()) warn(line);
  }
}

/** Before anything is started: a file that cannot be read ends the run. */
async function readPictures(paths: readonly string[], cwd: string): Promise<readonly ImageContent[]> {
  if (paths.length === 0) return [];
  const { readPicture } = await import("../app/picture-file.ts");
  return await Promise.all(paths.map((path) => readPicture(resolve(cwd, path))));
}

async function converse(
  session: AgentSession,
  prompt: UserMessage,
  output: HeadlessOutput,
  signal: AbortSignal,
): Promise<HeadlessResult & { readonly deniedCall: string | undefined }> {
  // The output of a denied call, unless the model has made other calls since: then it could not finish its work.
  let deniedCall: string | undefined;
  for await (const event of session.run(prompt, signal)) {
    output.event(event);
    await output.caughtUp(signal);
    if (event.type === "assistant" && event.reason === "tool_calls") deniedCall = undefined;
    if (event.type === "tool_result" && event.result.details["approval"] === "denied")
      deniedCall ??= event.result.output;
    if (event.type === "end") {
      const { type: _, ...ended } = event;
      const status = event.status === "done" && deniedCall !== undefined ? "denied" : event.status;
      return { ...ended, status, sessionId: session.sessionId, deniedCall };
    }
  }
  throw new Error("a run ended without its last event");
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
