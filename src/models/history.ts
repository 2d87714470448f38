/** Makes a history that every provider accepts out of one that was interrupted, compacted or begun with another model. */

import type {
  AssistantMessage,
  Message,
  ToolCallContent,
  ToolMessage,
  UserMessage,
} from "../protocol/model.ts";

/**
 * Every tool call is followed by its result, and no result stands alone: providers refuse anything else. Empty messages and
 * texts go, for the same reason.
 */
export function settledHistory(messages: readonly Message[]): Message[] {
  const settled: Message[] = [];
  let waiting = new Map<string, ToolCallContent>();
  const giveUp = () => {
    for (const call of waiting.values()) settled.push(missingResult(call));
    waiting = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      if (!waiting.delete(message.callId)) continue;
      settled.push(message);
      continue;
    }
    giveUp();
    const kept = withoutEmptyTexts(message);
    if (kept.content.length === 0) continue;
    settled.push(kept);
    for (const part of kept.content) if (part.type === "tool_call") waiting.set(part.id, part);
  }
  giveUp();
  return settled;
}

function missingResult({ id, name }: ToolCallContent): ToolMessage {
  return { role: "tool", callId: id, name, output: "No result: the run was interrupted.", isError: true };
}

function withoutEmptyTexts(message: UserMessage | AssistantMessage): UserMessage | AssistantMessage {
  const isEmpty = (part: { readonly type: string; readonly text?: string }) =>
    part.type === "text" && part.text?.trim() === "";
  return message.role === "user"
    ? { ...message, content: message.content.filter((part) => !isEmpty(part)) }
    : { ...message, content: message.content.filter((part) => !isEmpty(part)) };
}
