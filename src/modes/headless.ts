/** `omp -p`: one prompt, run to its end. stdout carries the answer or JSON and nothing else. */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type AgentEvent, OmpError, systemCode } from "../protocol/index.ts";
import { type AgentSession, type AgentSessionOptions, openAgentSession } from "./agent-session.ts";
import { Interruption } from "./interruption.ts";
import type { ModeIo, ModePlace } from "./io.ts";
import { wholeText } from "./lines.ts";
import { streamEvent } from "./stream-json.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface HeadlessOptions extends AgentSessionOptions {
  readonly prompt: string | undefined;
  readonly outputFormat: OutputFormat;
  /** Where the answer is written, too. */
  readonly lastMessageFile: string | undefined;
}

export interface HeadlessIo extends ModeIo {
  /** Piped input; undefined when stdin is a terminal or empty. */
  readonly stdin: ReadableStream<Uint8Array> | undefined;
}

const exitCodes = { done: 0, failed: 1, interrupted: 130, turn_limit: 5 } as const;
const NO_MODEL = 3;
const DENIED = 4;

export async function runHeadless(
  options: HeadlessOptions,
  io: HeadlessIo,
  place: ModePlace,
): Promise<number> {
  const interruption = new Interruption();
  try {
    const piped = io.stdin ? await wholeText(io.stdin, interruption.signal) : "";
    const prompt = withStdin(options.prompt, piped);
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    if (prompt === "")
      throw new OmpError({ operation: "omp", issue: "-p needs a prompt, or text on stdin", code: "USAGE" });
    const session = await openAgentSession(options, io, place);
    try {
      const exitCode = await perform(session, prompt, options, io, place, interruption);
      return interruption.exitCode ?? exitCode;
    } finally {
      for (const line of await session.close()) io.stderr(`${line}\n`);
    }
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${error.message}\n`);
    return error.code === "NO_MODEL" ? NO_MODEL : isModelTrouble(error) ? 1 : 2;
  } finally {
    interruption.release();
  }
}

async function perform(
  session: AgentSession,
  prompt: string,
  options: HeadlessOptions,
  io: ModeIo,
  place: ModePlace,
  { signal }: Interruption,
): Promise<number> {
  const write = (value: object) => io.stdout(`${JSON.stringify(value)}\n`);
  const isStream = options.outputFormat === "stream-json";
  if (isStream) write(streamEvent.init(session, place.cwd));
  let isLastCallDenied = false;
  for await (const event of session.run(prompt, signal)) {
    if (event.type === "tool_result") isLastCallDenied = event.result.details["approval"] === "denied";
    if (event.type === "end") {
      report(event, session, options, io);
      if (event.status === "done" && isLastCallDenied) return DENIED;
      return exitCodes[event.status];
    }
    if (event.type === "error" && !isStream) io.stderr(`${event.message}\n`);
    if (isStream) for (const line of streamEvent.of(event)) write(line);
  }
  throw new Error("a run ended without its last event");
}

function report(
  end: Extract<AgentEvent, { type: "end" }>,
  session: AgentSession,
  { outputFormat, lastMessageFile }: HeadlessOptions,
  io: ModeIo,
): void {
  if (outputFormat === "text") {
    if (end.text !== "") io.stdout(end.text.endsWith("\n") ? end.text : `${end.text}\n`);
    if (end.status === "turn_limit") io.stderr(`omp: stopped after ${end.turns} turns (TURN_LIMIT)\n`);
  } else {
    io.stdout(`${JSON.stringify(streamEvent.result(end, session.sessionId))}\n`);
  }
  if (lastMessageFile !== undefined) writeAnswer(lastMessageFile, end.text);
}

function writeAnswer(file: string, text: string): void {
  try {
    writeFileSync(resolve(file), text);
  } catch (error) {
    const code = systemCode(error) ?? "EIO";
    throw new OmpError(
      { operation: "omp", issue: `cannot write the answer to '${file}'`, code },
      { cause: error },
    );
  }
}

/** Piped text stands in a block of its own, below the prompt. */
function withStdin(prompt: string | undefined, piped: string): string {
  const block = piped.trim() === "" ? "" : `<stdin>\n${piped.replace(/\n?$/, "\n")}</stdin>`;
  return [prompt ?? "", block].filter((part) => part !== "").join("\n\n");
}

/** A provider that cannot be used is a failed run; everything else before the run is bad usage, settings or input. */
function isModelTrouble({ operation }: OmpError): boolean {
  return operation === "model";
}
