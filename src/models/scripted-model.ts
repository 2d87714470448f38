/** A model without a network: streams prepared turns as if a provider did. */

import { sleep } from "../async/sleep.ts";
import type {
  AssistantMessage,
  Message,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  Usage,
} from "../protocol/model.ts";
import type { Service } from "./failure.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";

export interface ScriptedTurn {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[] | undefined;
  /** Wait before the turn starts. */
  readonly delayMs?: number | undefined;
  /** Instead of the turn: an error answer from the provider. */
  readonly error?: { readonly status: number; readonly message: string } | undefined;
}

export interface ScriptedModelOptions {
  readonly facts: ModelFacts;
  readonly service: Service;
  readonly retry: RetryPolicy;
  /** Delay between words. */
  readonly paceMs: number;
  /** Called for every attempt. Throws when no turn is left. */
  readonly nextTurn: (request: ModelRequest) => ScriptedTurn;
}

export class ScriptedModel implements Model {
  readonly facts: ModelFacts;
  readonly #options: ScriptedModelOptions;

  constructor(options: ScriptedModelOptions) {
    this.facts = options.facts;
    this.#options = options;
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const { retry: policy, service } = this.#options;
    return withRetry(() => this.#attempt(request), { policy, service, signal: request.signal });
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal, messages } = request;
    const turn = this.#options.nextTurn(request);
    if (turn.delayMs) await sleep(turn.delayMs, signal);
    signal.throwIfAborted();
    // Has the shape of the errors that the AI SDK throws.
    if (turn.error) throw Object.assign(new Error(turn.error.message), { statusCode: turn.error.status });
    yield* this.#streamWords("reasoning_delta", turn.reasoning ?? "", signal);
    yield* this.#streamWords("text_delta", turn.text ?? "", signal);
    const message = buildMessage(turn, messages);
    const hasCalls = message.content.some(({ type }) => type === "tool_call");
    yield {
      type: "finish",
      reason: hasCalls ? "tool_calls" : "stop",
      message,
      usage: estimateUsage(request, turn),
    };
  }

  async *#streamWords(
    type: "text_delta" | "reasoning_delta",
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    for (const [piece] of text.matchAll(/\s*\S+\s*|\s+/g)) {
      if (this.#options.paceMs > 0) await sleep(this.#options.paceMs, signal);
      signal.throwIfAborted();
      yield { type, text: piece };
    }
  }
}

function buildMessage(
  { text, reasoning, toolCalls = [] }: ScriptedTurn,
  history: readonly Message[],
): AssistantMessage {
  // Counting from the history keeps ids unique even when a resumed session starts the script again.
  const turn = history.filter(({ role }) => role === "assistant").length + 1;
  const content: AssistantMessage["content"][number][] = [];
  if (reasoning) content.push({ type: "reasoning", text: reasoning });
  if (text) content.push({ type: "text", text });
  for (const [index, call] of toolCalls.entries())
    content.push({ type: "tool_call", id: `call_${turn}_${index + 1}`, ...call });
  return { role: "assistant", content };
}

const CHARACTERS_PER_TOKEN = 4;

/** Gives counters and compaction something to work with. */
function estimateUsage({ system, messages, tools }: ModelRequest, turn: ScriptedTurn): Usage {
  let input = system.length;
  for (const message of messages) input += lengthOf(message);
  for (const { name, description } of tools) input += name.length + description.length;
  const { text = "", reasoning = "", toolCalls = [] } = turn;
  const output = text.length + reasoning.length + JSON.stringify(toolCalls).length - 2;
  return {
    inputTokens: Math.ceil(input / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(output / CHARACTERS_PER_TOKEN),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}

function lengthOf(message: Message): number {
  if (message.role === "tool") return message.output.length;
  let length = 0;
  for (const part of message.content) {
    if (part.type === "text" || part.type === "reasoning") length += part.text.length;
    if (part.type === "tool_call") length += JSON.stringify(part.input ?? null).length;
  }
  return length;
}
