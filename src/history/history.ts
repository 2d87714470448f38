/** A log as the messages of a conversation: what a resumed session's model is given. */

import type { AssistantMessage, Message, ToolCallContent, ToolMessage } from "../protocol/index.ts";
import type { LoggedEvent, SessionEntry } from "./entry.ts";

const NO_RESULT = "[omp ended before this call had a result: whether it took effect is not known]";

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
        history.push(toolMessage(entry));
        break;
      case "compacted":
        history = [summaryMessage(entry.summary), ...lastTurns(history, entry.keptUserMessages)];
        break;
    }
  }
  return answered(history);
}

function toolMessage({ id, name, result }: Extract<LoggedEvent, { type: "tool_result" }>): ToolMessage {
  return {
    role: "tool",
    callId: id,
    name,
    output: result.output,
    isError: result.isError,
    ...(result.images ? { images: result.images } : {}),
  };
}

/** From the last few user messages on: what a compaction left as it was. */
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
    ...callsOf(message).map((call) => answers.get(call.id) ?? noResult(call)),
  ]);
}

function waitsFor(message: Message, callId: string): boolean {
  return callsOf(message).some(({ id }) => id === callId);
}

function callsOf(message: Message): readonly ToolCallContent[] {
  return message.role === "assistant" ? toolCalls(message) : [];
}

function toolCalls({ content }: AssistantMessage): ToolCallContent[] {
  return content.filter((part) => part.type === "tool_call");
}

function noResult({ id, name }: ToolCallContent): ToolMessage {
  return { role: "tool", callId: id, name, output: NO_RESULT, isError: true };
}
