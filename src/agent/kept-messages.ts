/** What a compaction leaves as it was: the user's own words, which are the task, and the newest messages. */

import { type Message, messageText, type ToolMessage, type UserMessage } from "../protocol/index.ts";
import { CHARACTERS_PER_TOKEN, guessedTokens } from "./context-size.ts";
import { shortened } from "./transcript.ts";

/** Messages at the end: the summary tells of those before them. */
const MAX_NEWEST = 6;
/** Of the room for the conversation: for the user's words, and again for the newest messages. */
const SHARE = 0.25;
/** A task of this length stays whole, even where there is hardly any room. */
const MIN_PROMPT_TOKENS = 250;

export interface Kept {
  readonly prompts: readonly UserMessage[];
  readonly newest: readonly Message[];
  /** Nothing is left out or shortened, but for an earlier summary: another one would free nothing. */
  readonly isEverything: boolean;
}

/** @param roomTokens what the model's context has for the conversation. */
export function keptMessages(history: readonly Message[], roomTokens: number): Kept {
  const newest = newestMessages(history, roomTokens * SHARE);
  const earlier = history.slice(0, history.length - newest.length);
  const prompts = promptsAmong(earlier, Math.max(roomTokens * SHARE, MIN_PROMPT_TOKENS));
  const kept = new Set<Message>([...prompts, ...newest]);
  const isEverything = history.every((message) => kept.has(message) || isSummary(message));
  return { prompts, newest, isEverything };
}

/** As many as fit, no call without its result. The last turn stays in any case, if need be with shorter results. */
function newestMessages(history: readonly Message[], maxTokens: number): Message[] {
  // The new summary replaces an earlier one.
  const afterSummary = history.findLastIndex(isSummary) + 1;
  for (let start = Math.max(history.length - MAX_NEWEST, afterSummary); start < history.length; start += 1) {
    const tail = history.slice(start);
    if (tail[0]?.role !== "tool" && guessedTokens(tail) <= maxTokens) return tail;
  }
  const turn = history.slice(
    Math.max(
      history.findLastIndex(({ role }) => role !== "tool"),
      afterSummary,
    ),
  );
  const maxChars = Math.floor((maxTokens * CHARACTERS_PER_TOKEN) / Math.max(1, turn.length));
  const shorter = turn.map((message) =>
    message.role === "tool" ? shorterResult(message, maxChars) : message,
  );
  // Long calls cannot be shortened; a long prompt is one of the user's words, and shortened as such.
  return guessedTokens(shorter) <= 2 * maxTokens ? shorter : [];
}

/** Newest first; the last one that there is room for may be shortened. */
function promptsAmong(messages: readonly Message[], maxTokens: number): UserMessage[] {
  const prompts: UserMessage[] = [];
  let left = maxTokens;
  for (const message of messages.toReversed()) {
    if (message.role !== "user" || !isOwnWords(message)) continue;
    const tokens = guessedTokens([message]);
    prompts.unshift(tokens <= left ? message : shorterPrompt(message, left * CHARACTERS_PER_TOKEN));
    left -= tokens;
    if (left <= 0) break;
  }
  return prompts;
}

function isSummary(message: Message): boolean {
  return message.role === "user" && message.origin.kind === "summary";
}

function isOwnWords({ origin }: UserMessage): boolean {
  return origin.kind === "typed" || origin.kind === "stdin";
}

function shorterPrompt(message: UserMessage, maxChars: number): UserMessage {
  return {
    ...message,
    content: [{ type: "text", text: shortened(messageText(message), Math.floor(maxChars)) }],
  };
}

function shorterResult({ images: _, ...message }: ToolMessage, maxChars: number): ToolMessage {
  return { ...message, output: shortened(message.output, maxChars) };
}
