/** Makes a history that every provider accepts out of one that was interrupted, compacted or begun with another model. */

import type {
  AssistantMessage,
  Message,
  ToolCallContent,
  ToolMessage,
  UserMessage,
} from "../protocol/model.ts";

export interface HistoryOptions {
  /** Ids of calls have letters, digits, `_` and `-` only, and 64 of them at most: some refuse those of others. */
  readonly plainIds?: boolean | undefined;
}

/**
 * Every tool call is followed by its result, and no result stands alone: providers refuse anything else. Empty messages and
 * texts go, for the same reason; so do ids that come twice and names that no tool could have.
 */
export function settledHistory(
  messages: readonly Message[],
  { plainIds = false }: HistoryOptions = {},
): Message[] {
  const settled: Message[] = [];
  const taken = new Map<string, number>();
  /** By the id that the model gave. */
  let waiting = new Map<string, ToolCallContent>();
  const giveUp = () => {
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
    giveUp();
    const kept = withoutEmptyTexts(message);
    if (kept.content.length === 0) continue;
    if (kept.role === "user") {
      settled.push(kept);
      continue;
    }
    const content = kept.content.map((part) => {
      if (part.type !== "tool_call") return part;
      const id = freeId(plainIds ? plain(part.id) : part.id, taken);
      const call = { ...part, id, name: plain(part.name) || "unknown" };
      waiting.set(part.id, call);
      return call;
    });
    settled.push({ ...kept, content });
  }
  giveUp();
  return settled;
}

const LONGEST_NAME = 64;

function plain(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, LONGEST_NAME);
}

/**
 * The same for the same history: a provider finds what it has cached only where nothing has changed.
 * @param taken ids, and how often each was asked for.
 */
function freeId(id: string, taken: Map<string, number>): string {
  let count = taken.get(id) ?? 0;
  let free = id;
  do {
    count += 1;
    if (count > 1) free = `${id.slice(0, LONGEST_NAME - `_${count}`.length)}_${count}`;
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
