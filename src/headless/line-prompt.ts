/** An interactive session on a terminal without cursor control: a line in, the model's text and calls out. */

import { createInterface } from "node:readline";
import { type AgentSession, type AgentSessionOptions, openAgentSession } from "../app/agent-session.ts";
import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { messageText, type UserMessage, userMessage } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { PlainTranscript } from "./plain-transcript.ts";

const HELP = "Type a prompt; /quit or Ctrl+D to quit, Ctrl+C to interrupt.";

export async function runLinePrompt(
  options: AgentSessionOptions & { readonly prompt?: string | undefined },
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  return await withErrorLine(io, async () => {
    const session = await openAgentSession(options, io, invocation);
    io.stdout(`omp, ${session.model.facts.name}. ${HELP}\n`);
    try {
      await converse(session, options.prompt, io);
      return 0;
    } finally {
      for (const line of await session.close()) io.stderr(`${line}\n`);
      if (session.resumeHint !== undefined) io.stdout(`${session.resumeHint}\n`);
    }
  });
}

async function converse(session: AgentSession, first: string | undefined, io: CommandIo): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
  let running: AbortController | undefined;
  // Ctrl+C interrupts what runs; when nothing runs, it ends the session.
  terminal.on("SIGINT", () => (running ? running.abort() : terminal.close()));
  /** Several lines may arrive at once. */
  const typed: string[] = first === undefined ? [] : [first];
  let arrived = Promise.withResolvers<void>();
  // What is typed during a run steers it.
  terminal.on("line", (line) => {
    if (!running) typed.push(line);
    else if (line.trim() !== "") session.agent.inbox.add(userMessage(line));
    arrived.resolve();
  });
  const ended = new Promise<void>((resolve) => terminal.once("close", resolve));
  const transcript = new PlainTranscript();
  while (true) {
    if (typed.length === 0) {
      arrived = Promise.withResolvers();
      terminal.prompt();
      await Promise.race([arrived.promise, ended]);
    }
    const prompt = typed.shift();
    if (prompt === undefined || prompt.trim() === "/quit") break;
    if (prompt.trim() === "") continue;
    running = new AbortController();
    for await (const event of session.run(withFiles(prompt, session), running.signal))
      io.stdout(transcript.textOf(event));
    // What was typed after the model's last turn is next; after an interrupt the user is asked first.
    if (!running.signal.aborted)
      typed.push(...session.agent.inbox.remove(() => true).map((message) => messageText(message)));
    running = undefined;
  }
  terminal.close();
}

/** Of a large file that the prompt names with `@`, the model is told. */
function withFiles(prompt: string, { inputs }: AgentSession): UserMessage {
  const message = userMessage(prompt);
  return { ...message, content: [...message.content, ...inputs.files(prompt)] };
}
