/** The demo without a terminal: the whole tour as text, calls and their output included, so that a pipe or a log shows what works. */

import { type AgentSessionOptions, openAgentSession } from "../app/agent-session.ts";
import { exitCodeOf, exitCodes } from "../app/exit-codes.ts";
import { Interruption } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { OmpError, userMessage } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { PlainTranscript } from "./plain-transcript.ts";

export const tourPrompt = "Show me around.";

export async function runTour(
  options: AgentSessionOptions,
  io: CommandIo,
  place: Invocation,
): Promise<number> {
  const interruption = new Interruption();
  try {
    const session = await openAgentSession(
      { ...options, model: "demo", session: { kind: "none" } },
      io,
      place,
    );
    try {
      const transcript = new PlainTranscript();
      let isDone = false;
      for await (const event of session.run(userMessage(tourPrompt), interruption.signal)) {
        io.stdout(transcript.textOf(event));
        if (event.type === "end") isDone = event.status === "done";
      }
      return interruption.exitCode ?? (isDone ? exitCodes.done : exitCodes.failed);
    } finally {
      for (const line of await session.close()) io.stderr(`${line}\n`);
    }
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${error.message}\n`);
    return exitCodeOf(error);
  } finally {
    interruption.release();
  }
}
