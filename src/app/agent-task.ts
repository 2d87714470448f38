/** One task of a subagent, from the opening of its session to its last message. */

import {
  type AgentEvent,
  type AgentTask,
  noUsage,
  type Usage,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import { progressLine } from "./agent-progress.ts";
import { type AgentResult, agentResult } from "./agent-result.ts";
import type { AgentCall } from "./tool-call.ts";

/** How a subagent is to be opened. */
export interface AgentChoice extends Omit<AgentTask, "prompt" | "background"> {
  /** Unique in its session, and with its parents' before it: `review-1/task-2`. */
  readonly id: string;
  readonly depth: number;
  /** Gets lines about what happens. */
  readonly say: (line: string) => void;
}

export interface AgentRun {
  /** Undefined when no log is kept. */
  readonly sessionId: string | undefined;
  readonly modelName: string;
  /** One line about a call. */
  summaryOf(name: string, input: unknown): string;
  run(prompt: UserMessage, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** @returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

interface Host {
  open(choice: AgentChoice): Promise<AgentRun>;
  onOpen(sessionId: string | undefined): void;
  /** The newest line about what it does. */
  onLine(line: string): void;
}

export async function performTask(
  id: string,
  { prompt, background: _, ...task }: AgentTask,
  call: AgentCall,
  { open, onOpen, onLine }: Host,
): Promise<AgentResult> {
  const startedAt = performance.now();
  const say = (line: string) => {
    onLine(line);
    call.onUpdate(`${line}\n`);
  };
  const session = await open({ ...task, id, depth: call.depth, say });
  onOpen(session.sessionId);
  let ended: Extract<AgentEvent, { type: "end" }> | undefined;
  let problem: string | undefined;
  let usage: Usage = noUsage;
  try {
    for await (const event of session.run(userMessage(prompt), call.signal)) {
      const line = progressLine(event, session);
      if (line !== undefined) say(line);
      if (event.type === "error") problem = event.message;
      if (event.type === "end") {
        ended = event;
        usage = event.usage;
      }
    }
  } finally {
    for (const line of await session.close()) say(line);
  }
  const { status, text, turns } = ended ?? { status: "failed" as const, text: "", turns: 0 };
  const { sessionId, modelName: model } = session;
  const durationMs = Math.round(performance.now() - startedAt);
  return agentResult({ id, status, text, turns, usage, problem, sessionId, model, durationMs });
}
