/** A log as the messages of a conversation: what a resumed session's model is given. */

import { type Message, type ToolCallContent, type ToolMessage, toolMessage } from "../protocol/index.ts";
import type { SessionEntry } from "./entry.ts";

const noResult = {
  output: "[omp exited before this call finished: whether it took effect is not known]",
  isError: true,
};

/** @param summaryMessage makes the message that a model reads; the wording is the agent's. */
export function historyOf(
  entries: readonly SessionEntry[],
  summaryMessage: (summary: string) => Message,
): Message[] {
  let history: Message[] = [];
  for (const entry of entries) {
    switch (entry.type) {
      case "user":
      case "assistant":
        history.push(entry.message);
        break;
      case "tool_result":
        // Of a nested call, only the code that made it reads the result.
        if (entry.parent === undefined) history.push(toolMessage(entry, entry.result));
        break;
      case "compacted":
        history = entry.history
          ? [...entry.history]
          : [summaryMessage(entry.summary), ...lastTurns(history, entry.keptUserMessages ?? 0)];
        break;
    }
  }
  return answered(history);
}

/** From the last few user messages on: what a compaction left as it was, in logs that do not have it. */
function lastTurns(history: readonly Message[], userMessages: number): Message[] {
  let left = userMessages;
  const start = history.findLastIndex(({ role }) => role === "user" && --left <= 0);
  return userMessages > 0 && start >= 0 ? history.slice(start) : [];
}

/**
 * Providers refuse a call without an answer, and an answer that does not follow its call. Parallel calls ended in any order, and a
 * crash may have left some without a result. Some servers give every turn's calls the same ids: an answer belongs to the last
 * turn that waits for it.
 */
function answered(history: readonly Message[]): Message[] {
  const turns: { readonly message: Message; readonly answers: Map<string, ToolMessage> }[] = [];
  for (const message of history) {
    if (message.role !== "tool") turns.push({ message, answers: new Map() });
    else
      turns.findLast((turn) => waitsFor(turn.message, message.callId))?.answers.set(message.callId, message);
  }
  return turns.flatMap(({ message, answers }) => [
    message,
    ...callsOf(message).map((call) => answers.get(call.id) ?? toolMessage(call, noResult)),
  ]);
}

function waitsFor(message: Message, callId: string): boolean {
  return callsOf(message).some(({ id }) => id === callId);
}

function callsOf(message: Message): ToolCallContent[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool_call") : [];
}
