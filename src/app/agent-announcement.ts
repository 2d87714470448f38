/** What is said of a subagent that worked in the background and has ended: a line for the user, and its answer for the model. */

import type { Announced } from "../agent/inbox.ts";
import { formatElapsed } from "../format/durations.ts";
import type { RunStatus, UserMessage } from "../protocol/index.ts";
import { userMessage } from "../protocol/index.ts";
import type { AgentResult } from "./agent-result.ts";

export interface EndedAgent {
  readonly id: string;
  readonly prompt: string;
  readonly result: AgentResult;
  readonly durationMs: number;
  /** The call that had started it. */
  readonly call: string | undefined;
  /** A cell has a handle, whose `result()` gives the answer. */
  readonly hasHandle: boolean;
  /** A cell has read the answer by its handle. */
  readonly isRead: boolean;
  /** Its session ended before it did. */
  readonly isLeft: boolean;
}

export function announceAgent(ended: EndedAgent): Announced {
  const { result, call } = ended;
  const { usage } = result;
  return {
    type: "user",
    message: endedMessage(ended),
    ...(usage === undefined ? {} : { usage }),
    ...(call === undefined ? {} : { parent: call }),
  };
}

function endedMessage(ended: EndedAgent): UserMessage {
  const { id: agent } = ended;
  const notice = endNotice(ended);
  const answer = answerOf(ended);
  return userMessage(`[${notice}]${answer === "" ? "" : `\n${answer}`}`, {
    kind: "announcement",
    notice,
    agent,
  });
}

const ENDS: Readonly<Record<RunStatus, string>> = {
  done: "is done",
  failed: "failed",
  interrupted: "was stopped",
  turn_limit: "was stopped at its limit of turns",
  repeated_call: "failed",
};

const MAX_WORDS = 60;

/** For the user. */
export function endNotice(
  ended: Pick<EndedAgent, "id" | "prompt" | "result" | "durationMs" | "isLeft">,
): string {
  const { id, prompt, result, durationMs, isLeft } = ended;
  const how = isLeft ? "was still working when its session ended" : ENDS[result.details.status];
  return `subagent ${id} ${how} after ${formatElapsed(durationMs)}: ${firstWords(prompt)}`;
}

/** The beginning of a task, as one line. */
export function firstWords(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line;
}

/** Code has its own way to the whole answer, and prints what matters. */
const MAX_HANDLE_CHARS = 2_000;

function answerOf({ result: { output }, hasHandle, isRead }: EndedAgent): string {
  if (isRead) return "";
  if (!hasHandle || output.length <= MAX_HANDLE_CHARS) return output;
  return `${output.slice(0, MAX_HANDLE_CHARS)}\n[… result() of its handle has all ${output.length} characters]`;
}
