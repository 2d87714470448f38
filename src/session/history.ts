/** A log as the messages of a conversation: what a resumed session's model is given. */

import type { AssistantMessage, Message, ToolMessage } from "../protocol/index.ts";
import type { SessionEntry } from "./entry.ts";

const NO_RESULT = "[omp ended before this call had a result]";

/** @param summaryMessage how a summary is told to a model; the agent's wording. */
export function historyOf(
  entries: readonly SessionEntry[],
  summaryMessage: (summary: string) => Message,
): Message[] {
  let history: Message[] = [];
  for (const entry of entries) {
    switch (entry.type) {
      case "user":
        history.push(entry.message);
        break;
      case "assistant":
        history.push(entry.message);
        break;
      case "tool_result":
        history.push({
          role: "tool",
          callId: entry.id,
          name: entry.name,
          output: entry.result.output,
          isError: entry.result.isError,
          ...(entry.result.images ? { images: entry.result.images } : {}),
        });
        break;
      case "compacted":
        history = [summaryMessage(entry.summary)];
        break;
    }
  }
  return answered(history);
}

/** Providers refuse a call without an answer, and an answer that does not follow its call. */
function answered(history: readonly Message[]): Message[] {
  const results = new Map(
    history.filter((message) => message.role === "tool").map((message) => [message.callId, message]),
  );
  return history.flatMap((message): Message[] => {
    if (message.role === "tool") return [];
    if (message.role === "user") return [message];
    return [message, ...answersTo(message, results)];
  });
}

function answersTo(message: AssistantMessage, results: ReadonlyMap<string, ToolMessage>): ToolMessage[] {
  return message.content.flatMap((part) => {
    if (part.type !== "tool_call") return [];
    const { id: callId, name } = part;
    return [results.get(callId) ?? { role: "tool", callId, name, output: NO_RESULT, isError: true }];
  });
}
