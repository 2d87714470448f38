/**
 * The loop: the model's turn, its tool calls, their results, the next turn, until the model asks for nothing more.
 *
 * Owns the history of one conversation. Yields every event before it acts on it, so that its caller can log a call
 * before it runs. Knows no provider, no tool and no screen.
 */

import {
  type AgentEvent,
  type AssistantMessage,
  type Message,
  type Model,
  type ModelEvent,
  messageText,
  noUsage,
  OmpError,
  type RunStatus,
  type ToolDescription,
  type Usage,
  type UserMessage,
} from "../protocol/index.ts";
import { compact } from "./compaction.ts";
import { ContextSize, isNearlyFull } from "./context-size.ts";
import { messageForModel } from "./messages.ts";
import { runToolCalls, type ToolHost } from "./tool-calls.ts";
import { addUsage } from "./usage.ts";

export interface AgentOptions {
  readonly model: Model;
  readonly tools: readonly ToolDescription[];
  readonly host: ToolHost;
  readonly system: string;
  /** Model requests that one run may make. */
  readonly maxTurns: number;
  readonly compactInstruction: string;
  /** An earlier conversation to continue. */
  readonly history?: readonly Message[];
  /** What the model should read before its next turn, such as that background work has ended. */
  readonly announcements?: () => readonly UserMessage[];
}

type Events<Result = void> = AsyncGenerator<AgentEvent, Result, void>;
type Finish = Extract<ModelEvent, { type: "finish" }>;

/** The code of a ModelError that compaction can help with. */
const CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW";
/** Compactions in a row that freed no space: after these the conversation does not fit, and more attempts would never end. */
const MAX_USELESS_COMPACTIONS = 2;

export class Agent {
  readonly #options: AgentOptions;
  #model: Model;
  #history: Message[];
  #queued: readonly UserMessage[] = [];
  #usage: Usage = noUsage;
  readonly #size: ContextSize;
  #isCompactionOnTrial = false;
  #uselessCompactions = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#history = [...(options.history ?? [])];
    this.#size = new ContextSize(options);
  }

  get history(): readonly Message[] {
    return this.#history;
  }

  /** Tokens that the conversation takes of the model's context. */
  get usedTokens(): number {
    return this.#size.of(this.#history);
  }

  switchModel(model: Model): void {
    this.#model = model;
  }

  /** A message for the model while it works: it reads it before its next turn. */
  queue(message: UserMessage): void {
    this.#queued = [...this.#queued, message];
  }

  /** Messages that the model has not read yet. */
  get queued(): readonly UserMessage[] {
    return this.#queued;
  }

  /** @returns the messages that were removed. */
  removeQueued(isRemoved: (message: UserMessage) => boolean): UserMessage[] {
    const { removed = [], kept = [] } = Object.groupBy(this.#queued, (message) =>
      isRemoved(message) ? "removed" : "kept",
    );
    this.#queued = kept;
    return removed;
  }

  async *run(prompt: UserMessage, signal: AbortSignal): Events {
    this.queue(prompt);
    this.#usage = noUsage;
    let turns = 0;
    let text = "";
    let status: RunStatus = "done";
    try {
      while (true) {
        if (turns >= this.#options.maxTurns) {
          status = "turn_limit";
          break;
        }
        yield* this.#readQueued();
        if (this.#isNearlyFull && this.#mayCompact) yield* this.#tryToCompact(signal);
        turns += 1;
        const { message, reason } = yield* this.#turn(signal);
        text = messageText(message, "") || text;
        const calls = message.content.filter((part) => part.type === "tool_call");
        if (calls.length > 0) {
          this.#history.push(...(yield* runToolCalls(calls, this.#options.host, signal)));
        } else if (reason === "refused") throw refusal(this.#model);
        signal.throwIfAborted();
        if (calls.length > 0 || this.#queued.length > 0) continue;
        if (reason === "length") yield cutOff(this.#model);
        break;
      }
    } catch (error) {
      status = signal.aborted ? "interrupted" : "failed";
      if (!signal.aborted) yield errorEvent(error);
    }
    yield { type: "end", status, text, turns, usage: this.#usage };
  }

  /** Replaces the conversation so far by a summary, at the user's request. */
  async *compact(signal: AbortSignal): Events {
    try {
      yield* this.#compact(signal);
    } catch (error) {
      if (!signal.aborted) yield errorEvent(error);
    }
  }

  async *#readQueued(): Events {
    const announced = this.#options.announcements?.() ?? [];
    for (const message of [...announced, ...this.removeQueued(() => true)]) {
      this.#history.push(message);
      yield { type: "user", message };
    }
  }

  /** One turn of the model; compacts and tries once more when the provider says that the conversation is too long. */
  async *#turn(signal: AbortSignal): Events<Finish> {
    try {
      return yield* this.#request(signal);
    } catch (error) {
      if (signal.aborted || !isOverflow(error) || !this.#mayCompact) throw error;
      if (!(yield* this.#tryToCompact(signal, { isTooLong: true }))) throw error;
    }
    try {
      return yield* this.#request(signal);
    } catch (error) {
      if (isOverflow(error)) yield* this.#judgeCompaction({ helped: false });
      throw error;
    }
  }

  async *#request(signal: AbortSignal): Events<Finish> {
    signal.throwIfAborted();
    const { system, tools } = this.#options;
    const messages = this.#history.map(messageForModel);
    let said = "";
    try {
      for await (const event of this.#model.stream({ system, messages, tools, signal })) {
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

  async *#finish(finish: Finish): Events<Finish> {
    const { message, reason, usage } = finish;
    this.#usage = addUsage(this.#usage, usage);
    this.#history.push(message);
    if (usage !== noUsage) this.#size.counted(usage, this.#history.length);
    yield { type: "assistant", message, reason, usage };
    if (usage !== noUsage) yield* this.#judgeCompaction({ helped: !this.#isNearlyFull });
    return finish;
  }

  get #isNearlyFull(): boolean {
    return isNearlyFull(this.usedTokens, this.#model.facts.contextTokens);
  }

  get #mayCompact(): boolean {
    return this.#uselessCompactions < MAX_USELESS_COMPACTIONS;
  }

  /** False when there is no summary: the conversation is as it was. */
  async *#tryToCompact(signal: AbortSignal, { isTooLong = false } = {}): Events<boolean> {
    try {
      return yield* this.#compact(signal, { isTooLong });
    } catch (error) {
      if (signal.aborted || !(error instanceof OmpError)) throw error;
      yield { type: "notice", text: `The conversation could not be compacted: ${error.issue}` };
      this.#isCompactionOnTrial = true;
      yield* this.#judgeCompaction({ helped: false });
      return false;
    }
  }

  async *#compact(signal: AbortSignal, { isTooLong = false } = {}): Events<boolean> {
    const { compactInstruction: instruction } = this.#options;
    const tokensBefore = this.usedTokens;
    const { summary, history, keptUserMessages, usage } = yield* compact({
      model: this.#model,
      history: this.#history,
      usedTokens: tokensBefore,
      isTooLong,
      instruction,
      signal,
    });
    this.#usage = addUsage(this.#usage, usage);
    this.#isCompactionOnTrial = true;
    if (summary === "") {
      yield* this.#judgeCompaction({ helped: false });
      return false;
    }
    this.#history = history;
    this.#size.forget();
    const tokensAfter = this.usedTokens;
    yield { type: "compacted", summary, tokensBefore, keptUserMessages, tokensAfter, usage };
    return true;
  }

  /** The turn after a compaction shows whether it freed space. */
  async *#judgeCompaction({ helped }: { readonly helped: boolean }): Events {
    if (helped) this.#uselessCompactions = 0;
    else if (this.#isCompactionOnTrial) {
      this.#uselessCompactions += 1;
      if (!this.#mayCompact) yield noMoreRoom;
    }
    this.#isCompactionOnTrial = false;
  }
}

const noMoreRoom: AgentEvent = {
  type: "notice",
  text: "Compaction no longer frees space; the conversation continues without it until the context is full.",
};

function isOverflow(error: unknown): boolean {
  return error instanceof OmpError && error.code === CONTEXT_OVERFLOW;
}

/** What a person can act on. Anything else is a bug, and is thrown. */
function errorEvent(error: unknown): AgentEvent {
  if (!(error instanceof OmpError)) throw error;
  return { type: "error", code: error.code, message: error.message };
}

function refusal({ facts }: Model): OmpError {
  return new OmpError({ operation: "model", issue: `${facts.name} refused to answer`, code: "REFUSED" });
}

function cutOff({ facts }: Model): AgentEvent {
  return { type: "notice", text: `The answer was cut off: ${facts.name} reached its longest output.` };
}

function interruptedTurn(text: string): Finish {
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text }],
    isInterrupted: true,
  };
  return { type: "finish", reason: "other", message, usage: noUsage };
}
