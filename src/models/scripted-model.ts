/** A model without a network: turns that somebody wrote, told as if they were being thought of. */

import { sleep } from "../async/sleep.ts";
import type {
  AssistantMessage,
  Message,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  ReasoningContent,
  TextContent,
  ToolCallContent,
  Usage,
} from "../protocol/model.ts";
import type { Service } from "./failure.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";

export interface ScriptedTurn {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[] | undefined;
  /** Before anything of the turn comes. */
  readonly delayMs?: number | undefined;
  /** Instead of the turn: what a provider would have answered. */
  readonly error?: { readonly status: number; readonly message: string } | undefined;
}

export interface ScriptedModelOptions {
  readonly facts: ModelFacts;
  readonly service: Service;
  readonly retry: RetryPolicy;
  /** Between the pieces of text. */
  readonly paceMs: number;
  /** What comes next; called for every attempt. Throws when there is no more. */
  readonly nextTurn: (request: ModelRequest) => ScriptedTurn;
}

/** Of the shape that the AI SDK throws. */
class Answer extends Error {
  readonly statusCode: number;

  constructor({ status, message }: { status: number; message: string }) {
    super(message);
    this.statusCode = status;
  }
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
    if (turn.error) throw new Answer(turn.error);
    yield* this.#pieces("reasoning_delta", turn.reasoning ?? "", signal);
    yield* this.#pieces("text_delta", turn.text ?? "", signal);
    const message = messageOf(turn, messages);
    const hasCalls = message.content.some(({ type }) => type === "tool_call");
    yield {
      type: "finish",
      reason: hasCalls ? "tool_calls" : "stop",
      message,
      usage: guessedUsage(request, turn),
    };
  }

  async *#pieces(
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

function messageOf(
  { text, reasoning, toolCalls = [] }: ScriptedTurn,
  history: readonly Message[],
): AssistantMessage {
  // Counted from the history, an id is new in it even when a session goes on with a script that begins again.
  const turn = history.filter(({ role }) => role === "assistant").length + 1;
  const thought: ReasoningContent[] = reasoning ? [{ type: "reasoning", text: reasoning }] : [];
  const said: TextContent[] = text ? [{ type: "text", text }] : [];
  const calls = toolCalls.map(
    ({ name, input }, index): ToolCallContent => ({
      type: "tool_call",
      id: `call_${turn}_${index + 1}`,
      name,
      input,
    }),
  );
  return { role: "assistant", content: [...thought, ...said, ...calls] };
}

const charactersPerToken = 4;

/** So that counters and compaction have something to work with. */
function guessedUsage({ system, messages, tools }: ModelRequest, turn: ScriptedTurn): Usage {
  let input = system.length;
  for (const message of messages) input += lengthOf(message);
  for (const { name, description } of tools) input += name.length + description.length;
  const output =
    (turn.text ?? "").length +
    (turn.reasoning ?? "").length +
    JSON.stringify(turn.toolCalls ?? []).length -
    2;
  return {
    inputTokens: Math.ceil(input / charactersPerToken),
    outputTokens: Math.ceil(output / charactersPerToken),
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
