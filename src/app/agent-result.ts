/** What a subagent's parent reads of it: its answer, and why there is none. */

import { count } from "../format/numbers.ts";
import { noUsage, type RunStatus, type ToolDetails, type ToolResult, type Usage } from "../protocol/index.ts";

export interface AgentEnd {
  readonly id: string;
  readonly status: RunStatus;
  readonly text: string;
  readonly turns: number;
  readonly usage: Usage;
  /** What went wrong last, as one line. */
  readonly problem?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly model?: string | undefined;
  readonly durationMs?: number;
}

export interface AgentResult extends ToolResult {
  readonly details: ToolDetails & { readonly status: RunStatus };
}

export function agentResult(end: AgentEnd): AgentResult {
  const { id, status, text, turns, usage, sessionId, model, durationMs } = end;
  const note = noteOf(end);
  const lines = [text.trim(), ...(note === undefined ? [] : [`[${note}]`])].filter((line) => line !== "");
  return {
    isError: status !== "done",
    output: lines.join("\n"),
    details: {
      agent: id,
      status,
      turns,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(model === undefined ? {} : { model }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(status === "interrupted" ? { cancelled: true } : {}),
      usage,
    },
    ...(usage === noUsage ? {} : { usage }),
  };
}

/** Of one that works in the background from here on. */
export function startedResult(id: string): ToolResult {
  return {
    isError: false,
    output: `${id} works in the background: its answer will be announced. Go on meanwhile.`,
    details: {
      agent: id,
      status: "running",
      background: true,
      segments: [{ lines: 1, note: `${id} works in the background; /agents follows it` }],
    },
  };
}

/** For the model, where the answer is not the end of the work. */
function noteOf({ status, text, turns, problem }: AgentEnd): string | undefined {
  switch (status) {
    case "done":
      return text.trim() === "" ? "the subagent ended without an answer" : undefined;
    case "interrupted":
      return "the subagent was interrupted";
    case "turn_limit":
      return `the subagent was stopped after ${count(turns, "turn")}, before it was done`;
    case "repeated_call":
    case "failed":
      return `the subagent failed: ${problem ?? "its last event is missing"}`;
  }
}
