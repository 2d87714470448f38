/** Turns a history that was interrupted, compacted or started with another model into one that every provider accepts. */

import type {
  AssistantMessage,
  Message,
  ToolCallContent,
  ToolMessage,
  UserMessage,
} from "../protocol/model.ts";

/**
 * Every tool call is followed by its result, and every result has a call: providers refuse anything else. For the same reason
 * empty messages and texts are dropped, and duplicate ids and impossible tool names are replaced.
 * @param options.plainIds rewrites call ids to at most 64 letters, digits, `_` and `-`: some providers refuse the ids of others.
 */
export function settleHistory(
  messages: readonly Message[],
  { plainIds = false }: { readonly plainIds?: boolean } = {},
): Message[] {
  const settled: Message[] = [];
  const taken = new Map<string, number>();
  /** Calls without a result so far, by the id that the model gave them. */
  let waiting = new Map<string, ToolCallContent>();
  const fillMissing = () => {
    for (const call of waiting.values()) settled.push(missingResult(call));
    waiting = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const call = waiting.get(message.callId);
      if (call === undefined) continue;
      waiting.delete(message.callId);
      settled.push({ ...message, callId: call.id, name: call.name });
      continue;
    }
    fillMissing();
    const kept = withoutEmptyTexts(message);
    if (kept.content.length === 0) continue;
    if (kept.role === "user") {
      settled.push(kept);
      continue;
    }
    const content = kept.content.map((part) => {
      if (part.type !== "tool_call") return part;
      const id = makeUnique(plainIds ? sanitize(part.id) : part.id, taken);
      const call = { ...part, id, name: sanitize(part.name) || "unknown" };
      waiting.set(part.id, call);
      return call;
    });
    settled.push({ ...kept, content });
  }
  fillMissing();
  return settled;
}

const MAX_NAME_LENGTH = 64;

function sanitize(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME_LENGTH);
}

/**
 * Deterministic for the same history: a provider's cache only matches an unchanged prefix.
 * @param taken ids, and how often each was used.
 */
function makeUnique(id: string, taken: Map<string, number>): string {
  let count = taken.get(id) ?? 0;
  let free = id;
  do {
    count += 1;
    if (count > 1) free = `${id.slice(0, MAX_NAME_LENGTH - `_${count}`.length)}_${count}`;
  } while (taken.has(free));
  taken.set(id, count);
  taken.set(free, taken.get(free) ?? 1);
  return free;
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
