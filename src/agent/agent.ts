/**
 * The loop: the model's turn, its tool calls, their results, the next turn, until the model asks for nothing more.
 *
 * Owns the history of one conversation. Yields every event before it acts on it, so that whoever consumes them can log a call
 * before it runs. Knows no provider, no tool and no screen.
 */

import {
  type AgentEvent,
  type AssistantMessage,
  type Message,
  type Model,
  type ModelEvent,
  OmpError,
  type RunStatus,
  type ToolCallContent,
  type ToolDescription,
  type Usage,
  type UserMessage,
} from "../protocol/index.ts";
import { compact, isNearlyFull } from "./compaction.ts";
import { runToolCalls, type ToolHost } from "./tool-calls.ts";
import { addUsage, contextTokens, noUsage } from "./usage.ts";

export interface AgentOptions {
  readonly model: Model;
  readonly tools: readonly ToolDescription[];
  readonly host: ToolHost;
  readonly system: string;
  /** Model requests that one run may make. */
  readonly maxTurns: number;
  readonly compactInstruction: string;
  /** An earlier conversation to go on with. */
  readonly history?: readonly Message[];
  /** What the model should hear before its next turn, such as background work that has ended. */
  readonly announcements?: () => readonly string[];
}

/** The code of a ModelError that compaction can help with. */
const CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW";
/** Compactions in a row that did not free anything: then the conversation does not fit, and trying on would never end. */
const MAX_USELESS_COMPACTIONS = 2;

type Finish = Extract<ModelEvent, { type: "finish" }>;

export class Agent {
  readonly #options: AgentOptions;
  #model: Model;
  #history: Message[];
  readonly #queued: UserMessage[] = [];
  #usage: Usage = noUsage;
  #usedTokens = 0;
  #uselessCompactions = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#history = [...(options.history ?? [])];
  }

  get history(): readonly Message[] {
    return this.#history;
  }

  /** Tokens that the last request took of the model's context. */
  get usedTokens(): number {
    return this.#usedTokens;
  }

  useModel(model: Model): void {
    this.#model = model;
  }

  /** Words for the model while it works: it reads them before its next turn. */
  queue(message: UserMessage): void {
    this.#queued.push(message);
  }

  /** Takes back what was queued and not read yet. */
  takeQueued(): UserMessage[] {
    return this.#queued.splice(0);
  }

  async *run(prompt: UserMessage, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void> {
    this.#queued.push(prompt);
    this.#usage = noUsage;
    let turns = 0;
    let text = "";
    let status: RunStatus = "done";
    try {
      while (true) {
        yield* this.#readQueued();
        if (turns >= this.#options.maxTurns) {
          status = "turn_limit";
          break;
        }
        if (isNearlyFull(this.#usedTokens, this.#model.facts.contextTokens)) yield* this.compact(signal);
        turns += 1;
        const message = yield* this.#turn(signal);
        text = textOf(message) || text;
        const calls = message.content.filter((part) => part.type === "tool_call");
        if (calls.length > 0) yield* this.#answer(calls, signal);
        signal.throwIfAborted();
        if (calls.length === 0 && this.#queued.length === 0) break;
      }
    } catch (error) {
      if (signal.aborted) status = "interrupted";
      else if (error instanceof OmpError) {
        status = "failed";
        yield { type: "error", code: error.code, message: error.message };
      } else throw error;
    }
    yield { type: "end", status, text, turns, usage: this.#usage };
  }

  /** Replaces the conversation so far by a summary. */
  async *compact(signal: AbortSignal): AsyncGenerator<AgentEvent, void, void> {
    if (this.#uselessCompactions >= MAX_USELESS_COMPACTIONS) return;
    const tokensBefore = this.#usedTokens;
    const sizeBefore = sizeOf(this.#history);
    const { compactInstruction: instruction } = this.#options;
    const result = await compact({ model: this.#model, history: this.#history, instruction, signal });
    this.#usage = addUsage(this.#usage, result.usage);
    const freed = 1 - sizeOf(result.history) / sizeBefore;
    this.#uselessCompactions = freed > 0.2 ? 0 : this.#uselessCompactions + 1;
    this.#history = result.history;
    this.#usedTokens = Math.round(tokensBefore * (1 - Math.max(freed, 0)));
    yield { type: "compacted", summary: result.summary, tokensBefore };
    if (this.#uselessCompactions >= MAX_USELESS_COMPACTIONS) {
      yield {
        type: "notice",
        text: "Summaries no longer make room; the conversation goes on until the context is full.",
      };
    }
  }

  async *#readQueued(): AsyncGenerator<AgentEvent, void, void> {
    const announced = (this.#options.announcements?.() ?? []).map(userMessage);
    for (const message of [...announced, ...this.takeQueued()]) {
      this.#history.push(message);
      yield { type: "user", message };
    }
  }

  /** One turn of the model; makes room and tries once more when the provider says that the conversation is too long. */
  async *#turn(signal: AbortSignal): AsyncGenerator<AgentEvent, AssistantMessage, void> {
    try {
      return yield* this.#request(signal);
    } catch (error) {
      if (!(error instanceof OmpError) || error.code !== CONTEXT_OVERFLOW) throw error;
      yield* this.compact(signal);
      return yield* this.#request(signal);
    }
  }

  async *#request(signal: AbortSignal): AsyncGenerator<AgentEvent, AssistantMessage, void> {
    signal.throwIfAborted();
    const { system, tools } = this.#options;
    let said = "";
    try {
      for await (const event of this.#model.stream({ system, messages: this.#history, tools, signal })) {
        if (event.type === "finish") return yield* this.#finish(event);
        if (event.type === "text_delta") said += event.text;
        if (event.type === "retry") said = "";
        yield event;
      }
    } catch (error) {
      // What the user has seen of an interrupted turn is part of the conversation.
      if (signal.aborted && said !== "") yield* this.#finish(interruptedTurn(said));
      throw error;
    }
    throw new Error("a model's turn ended without its message");
  }

  async *#finish({ message, reason, usage }: Finish): AsyncGenerator<AgentEvent, AssistantMessage, void> {
    this.#usage = addUsage(this.#usage, usage);
    if (usage !== noUsage) this.#usedTokens = contextTokens(usage);
    this.#history.push(message);
    yield { type: "assistant", message, reason, usage };
    return message;
  }

  async *#answer(
    calls: readonly ToolCallContent[],
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, void, void> {
    this.#history.push(...(yield* runToolCalls(calls, this.#options.host, signal)));
  }
}

function interruptedTurn(said: string): Finish {
  const text = `${said}\n[interrupted by the user]`;
  return {
    type: "finish",
    reason: "other",
    message: { role: "assistant", content: [{ type: "text", text }] },
    usage: noUsage,
  };
}

export function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function sizeOf(history: readonly Message[]): number {
  return JSON.stringify(history).length;
}
