/** `omp.agent`: what a cell asks of subagents, and of those that it, or an earlier cell, has started. */

import { type AgentTask, agentKernels, type ToolResult } from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import { refusal } from "./limits.ts";

/** The session's subagents, as its cells see them. */
export interface CellAgents {
  /** To its end, or with `background` only to its start. Never throws for what a task can cause. */
  run(task: AgentTask, signal: AbortSignal): Promise<ToolResult>;
  /** One that was started; undefined when there is none of that id. */
  find(id: string): StartedAgent | undefined;
}

export interface StartedAgent {
  readonly isShared: boolean;
  /** Undefined while it works. */
  readonly result: ToolResult | undefined;
  /** Rejects with the signal's reason when that comes first. */
  wait(signal: AbortSignal): Promise<ToolResult>;
  stop(): void;
  /** The cell has the answer now: it need not be announced in full. */
  markRead(): void;
}

export const AGENT = "omp.agent";

/** What the code sends: `agents.py` makes it. */
export function readAgentTask(fields: UnknownRecord): AgentTask {
  const { prompt, agent, tools, model, maxTurns, background, branch } = fields;
  const kernel = agentKernels.find((each) => each === fields["kernel"]);
  return {
    prompt: String(prompt),
    ...(typeof agent === "string" ? { agent } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(String) } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof maxTurns === "number" ? { maxTurns: Math.max(1, Math.floor(maxTurns)) } : {}),
    ...(background === true ? { background } : {}),
    ...(kernel === undefined || kernel === "own" ? {} : { kernel }),
    ...(typeof branch === "string" ? { branch } : {}),
  };
}

/** Undefined for what can be run. A cell that waits for a subagent in its own kernel would wait for itself. */
export function taskRefusal({ kernel, background }: AgentTask): UnknownRecord | undefined {
  if (kernel !== "shared" || background === true) return undefined;
  const issue = `this cell would wait for a subagent whose cells wait for this one; use ${AGENT}.start(…, kernel="shared")`;
  return refusal(AGENT, issue, "SHARED_KERNEL");
}

/** `done`, `result()` and `cancel()` of a handle. `ended` is how it ended; nothing while it works. */
export async function lookAfterAgent(
  agents: CellAgents,
  { agent: id, what }: UnknownRecord,
  signal: AbortSignal,
): Promise<UnknownRecord> {
  const agent = agents.find(String(id));
  if (agent === undefined) return refusal(AGENT, `no subagent ${id} in this session`, "UNKNOWN_AGENT");
  if (what === "cancel") agent.stop();
  if (what === "done") return { isDone: agent.result !== undefined };
  if (what === "result" && agent.isShared && agent.result === undefined) {
    const issue = `${id} works in this kernel, and its cells wait for this one; ask again in a later cell`;
    return refusal(AGENT, issue, "SHARED_KERNEL");
  }
  const result = await agent.wait(signal);
  if (what === "result") agent.markRead();
  return {
    ended: result.isError ? { error: result.output, details: result.details } : { text: result.output },
  };
}

/** What nobody could answer, in one line. */
export function noAgents(): UnknownRecord {
  return refusal(AGENT, "there is no conversation here that a subagent could belong to", "NO_AGENTS");
}
