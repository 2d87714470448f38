/** The demo without a terminal: the whole tour as text, with calls and their output, so that a pipe or a log shows what works. */

import { type AgentSessionOptions, openAgentSession } from "../app/agent-session.ts";
import { exitCodes, withErrorLine } from "../app/exit-codes.ts";
import { interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { userMessage } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { PlainTranscript } from "./plain-transcript.ts";

export const TOUR_PROMPT = "Show me around.";

export async function runTour(
  options: AgentSessionOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const tour = { ...options, model: "demo", session: { kind: "none" } } as const;
  return await interruptible((interruption) =>
    withErrorLine(io, async () => {
      const session = await openAgentSession(tour, io, invocation);
      try {
        const transcript = new PlainTranscript();
        let isDone = false;
        for await (const event of session.run(userMessage(TOUR_PROMPT), interruption.signal)) {
          io.stdout(transcript.textOf(event));
          if (event.type === "end") isDone = event.status === "done";
        }
        return interruption.exitCode ?? (isDone ? exitCodes.done : exitCodes.failed);
      } finally {
        for (const line of await session.close()) io.stderr(`${line}\n`);
      }
    }),
  );
}
