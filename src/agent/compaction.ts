/**
 * Frees space in the model's context: the conversation so far becomes the user's words, a summary that the model itself writes, and the
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
import { CHARACTERS_PER_TOKEN } from "./context-size.ts";
import { keptMessages } from "./kept-messages.ts";
import { summaryMessage } from "./messages.ts";
import { shortened, transcript } from "./transcript.ts";

/** Of the room for the conversation: a model may write more than it was asked for. */
const SUMMARY_SHARE = 0.25;
const MIN_SUMMARY_TOKENS = 250;

export interface Compaction {
  /** Empty when the model wrote none: then nothing is replaced. */
  readonly summary: string;
  readonly history: readonly Message[];
  readonly usage: Usage;
}

export interface CompactOptions {
  readonly model: Model;
  readonly history: readonly Message[];
  readonly usedTokens: number;
  /** What the context has for the conversation. */
  readonly roomTokens: number;
  /** Tells the model what to write. */
  readonly instruction: string;
  readonly signal: AbortSignal;
}

type Retry = Extract<ModelEvent, { type: "retry" }>;

/** Yields the retries that the summary took. */
export async function* compact(options: CompactOptions): AsyncGenerator<Retry, Compaction, void> {
  const { model, history, usedTokens, roomTokens, instruction, signal } = options;
  // Half of what there is: the request that asks for room must not be too long itself.
  const maxChars = Math.floor((Math.min(model.facts.contextTokens, usedTokens) / 2) * CHARACTERS_PER_TOKEN);
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
    const written = messageText(event.message, "").trim();
    const maxTokens = Math.max(roomTokens * SUMMARY_SHARE, MIN_SUMMARY_TOKENS);
    const summary = shortened(written, Math.floor(maxTokens * CHARACTERS_PER_TOKEN));
    const { prompts, newest } = keptMessages(history, roomTokens);
    return { summary, history: [...prompts, summaryMessage(summary), ...newest], usage: event.usage };
  }
  throw new Error("a model's turn ended without its message");
}
