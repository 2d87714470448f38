/**
 * Frees space in the model's context: the conversation so far becomes a summary that the model itself writes, followed by the
 * newest messages as they were.
 */

import {
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  messageText,
  type Usage,
  userMessage,
} from "../protocol/index.ts";
import { CHARACTERS_PER_TOKEN, guessedTokens } from "./context-size.ts";
import { summaryMessage } from "./messages.ts";
import { transcript } from "./transcript.ts";

/** Messages at the end that stay as they are, from a user's on, so that no call is separated from its answer. */
const KEPT_MESSAGES = 6;
/** Of the context: more than this is not worth keeping word by word. */
const KEPT_AT_MOST = 0.25;

export interface Compaction {
  /** Empty when the model wrote none: then nothing is replaced. */
  readonly summary: string;
  readonly history: Message[];
  readonly keptUserMessages: number;
  readonly usage: Usage;
}

export interface CompactOptions {
  readonly model: Model;
  readonly history: readonly Message[];
  readonly usedTokens: number;
  /** The provider refused it as too long: its context is smaller than its facts say. */
  readonly isTooLong: boolean;
  /** Tells the model what to write. */
  readonly instruction: string;
  readonly signal: AbortSignal;
}

type Retry = Extract<ModelEvent, { type: "retry" }>;

/** Yields the retries that the summary took. */
export async function* compact(options: CompactOptions): AsyncGenerator<Retry, Compaction, void> {
  const { model, history, usedTokens, isTooLong, instruction, signal } = options;
  const contextTokens = isTooLong
    ? Math.min(model.facts.contextTokens, usedTokens)
    : model.facts.contextTokens;
  // Half of what there is: the request that asks for room must not be too long itself.
  const maxChars = Math.floor((Math.min(contextTokens, usedTokens) / 2) * CHARACTERS_PER_TOKEN);
  const text = `${transcript(history, maxChars)}\n\n${instruction}`;
  const request: ModelRequest = {
    system: instruction,
    // As text: without tools a provider refuses calls in the history, and the summary needs no exact form.
    messages: [userMessage(text)],
    tools: [],
    signal,
  };
  for await (const event of model.stream(request)) {
    if (event.type === "retry") yield event;
    if (event.type !== "finish") continue;
    const summary = messageText(event.message, "").trim();
    const kept = newest(history, contextTokens * KEPT_AT_MOST);
    return {
      summary,
      history: [summaryMessage(summary), ...kept],
      keptUserMessages: kept.filter(({ role }) => role === "user").length,
      usage: event.usage,
    };
  }
  throw new Error("a model's turn ended without its message");
}

/** As many as fit: the newest prompt is rarely too long, the messages before it may be. */
function newest(history: readonly Message[], maxTokens: number): Message[] {
  const tail = history.slice(-KEPT_MESSAGES);
  const start = tail.findIndex(
    (message, index) =>
      message.role === "user" &&
      message.origin.kind !== "summary" &&
      guessedTokens(tail.slice(index)) <= maxTokens,
  );
  return start < 0 ? [] : tail.slice(start);
}
