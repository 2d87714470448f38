/** How much of a model's context a conversation takes: what the provider last counted, and an estimate for what was added since. */

import type { Message, ToolDescription, Usage } from "../protocol/index.ts";

export const CHARACTERS_PER_TOKEN = 4;
/** Of a picture of usual size; providers count between half and twice as much. */
const IMAGE_TOKENS = 1_500;
/** Beyond this part of the context the next request might not fit together with its answer. */
const FULL_AT = 0.8;

export function isNearlyFull(usedTokens: number, contextTokens: number): boolean {
  return usedTokens > contextTokens * FULL_AT;
}

export class ContextSize {
  /** What instructions and tools take, before every conversation. */
  readonly fixedTokens: number;
  #countedTokens: number;
  #countedMessages = 0;

  constructor({ system, tools }: { readonly system: string; readonly tools: readonly ToolDescription[] }) {
    this.fixedTokens = tokensOf(system.length + JSON.stringify(tools).length);
    this.#countedTokens = this.fixedTokens;
  }

  /** The provider has counted a request and its answer, which is the last message. Not every server counts. */
  counted({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage, messages: number): void {
    if (inputTokens + cacheReadTokens + cacheWriteTokens === 0) return;
    this.#countedTokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
    this.#countedMessages = messages;
  }

  /** The conversation was replaced by another one. */
  forget(): void {
    this.#countedTokens = this.fixedTokens;
    this.#countedMessages = 0;
  }

  of(history: readonly Message[], model: { readonly acceptsImages: boolean }): number {
    return this.#countedTokens + guessedTokens(history.slice(this.#countedMessages), model);
  }
}

/** A model that does not accept images gets a few words in their place. */
export function guessedTokens(messages: readonly Message[], { acceptsImages = true } = {}): number {
  const imageTokens = acceptsImages ? IMAGE_TOKENS : 0;
  let tokens = 0;
  for (const message of messages) {
    if (message.role === "tool") {
      tokens += tokensOf(message.output.length) + (message.images?.length ?? 0) * imageTokens;
      continue;
    }
    for (const part of message.content) {
      if (part.type === "image") tokens += imageTokens;
      else tokens += tokensOf(part.type === "tool_call" ? jsonLength(part.input) : part.text.length);
    }
  }
  return tokens;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value ?? null).length;
}
