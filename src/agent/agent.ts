/**
 * The loop: the model's turn, its tool calls, their results, until the model asks for nothing more. Owns the history of one conversation.
 * Yields every event before it acts on it, so that its caller can log a call before it runs. Knows no provider, no tool and no screen.
 */

import {
  type AgentEvent,
  addUsage,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  messageText,
  noUsage,
  OmpError,
  type RunStatus,
  type ToolCallContent,
  type Usage,
  type UserMessage,
} from "../protocol/index.ts";
import { compact } from "./compaction.ts";
import { CompactionTrial } from "./compaction-trial.ts";
import { ContextSize, guessedTokens, isNearlyFull } from "./context-size.ts";
import { contextTooSmallError, errorEvent, isOverflow, refusalError, repeatedCallError } from "./errors.ts";
import { type Announced, Inbox, type InboxOptions } from "./inbox.ts";
import { keptMessages } from "./kept-messages.ts";
import { interruptedMessage, messagesForModel, repetitionMessage } from "./messages.ts";
import {
  answerCutNotice,
  answerEmptyNotice,
  noMoreRoomNotice,
  notCompactedNotice,
  repetitionNotice,
  waitingNotice,
} from "./notices.ts";
import { RepeatedCalls, STOP_AFTER, TELL_AFTER } from "./repeated-calls.ts";
import { runToolCalls, type ToolHost } from "./tool-calls.ts";

/** What a request has of these may change between two turns. */
export interface AgentOptions
  extends Pick<ModelRequest, "tools" | "system" | "effort" | "onCallBegun">,
    InboxOptions {
  readonly model: Model;
  readonly host: ToolHost;
  /** Model requests that one run may make. */
  readonly maxTurns: number;
  readonly compactInstruction: string;
  readonly history?: readonly Message[];
}

type Events<Result = void> = AsyncGenerator<AgentEvent, Result, void>;
type Finish = Extract<ModelEvent, { type: "finish" }>;

export class Agent {
  /** What the model reads before its next turn. */
  readonly inbox: Inbox;
  readonly #options: AgentOptions;
  #model: Model;
  #history: Message[];
  #usage: Usage = noUsage;
  readonly #size: ContextSize;
  readonly #repeated = new RepeatedCalls();
  readonly #trial = new CompactionTrial();

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#history = [...(options.history ?? [])];
    this.inbox = new Inbox(options);
    this.#size = new ContextSize(options);
  }

  get history(): readonly Message[] {
    return this.#history;
  }

  /** Tokens that the conversation takes of the model's context. */
  get usedTokens(): number {
    return this.#size.of(this.#history, this.#model.facts);
  }

  switchModel(model: Model): void {
    this.#model = model;
  }

  /** Part of the conversation at once. Not while the model works. */
  add(message: UserMessage): void {
    this.#history.push(message);
  }

  /** Goes back to an earlier state of the conversation. Not while the model works. */
  replaceHistory(history: readonly Message[]): void {
    this.#history = [...history];
    this.#size.forget();
  }

  async *run(prompt: UserMessage, signal: AbortSignal): Events {
    this.inbox.add(prompt);
    this.#usage = noUsage;
    let turns = 0;
    let text = "";
    let isCut = false;
    let isEmpty = false;
    let status: RunStatus = "done";
    try {
      while (true) {
        if (turns >= this.#options.maxTurns) {
          status = "turn_limit";
          break;
        }
        yield* this.#readQueued();
        if (this.#roomTokens() <= 0) throw contextTooSmallError(this.#model, this.#size.fixedTokens);
        if (this.#isNearlyFull && this.#trial.mayCompact && this.#hasPastToSumUp())
          yield* this.#tryToCompact(signal);
        turns += 1;
        const { message, reason } = yield* this.#turn(signal);
        text = messageText(message, "") || text;
        const calls = message.content.filter((part) => part.type === "tool_call");
        if (calls.length === 0 && reason === "refused") throw refusalError(this.#model);
        const isRepeating = calls.length > 0 && (yield* this.#run(calls, signal));
        signal.throwIfAborted();
        if (isRepeating) {
          status = "repeated_call";
          break;
        }
        if (calls.length > 0 || this.inbox.queued.length > 0) continue;
        if (yield* this.#readAwaited(signal)) continue;
        isCut = reason === "length";
        isEmpty = messageText(message, "").trim() === "";
        if (isCut) yield answerCutNotice(this.#model);
        else if (isEmpty) yield answerEmptyNotice(this.#model);
        break;
      }
    } catch (error) {
      status = signal.aborted ? "interrupted" : "failed";
      if (!signal.aborted) yield errorEvent(error);
    }
    yield* this.#read(await this.inbox.takeLast());
    yield { type: "end", status, text, isCut, isEmpty, turns, usage: this.#usage };
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
    if (this.inbox.queued.length > 0) this.#repeated.forget();
    yield* this.#read(this.inbox.take());
  }

  async *#read(events: readonly Announced[]): Events {
    for (const event of events) {
      this.#history.push(event.message);
      if (event.usage) this.#usage = addUsage(this.#usage, event.usage);
      yield event;
    }
  }

  /** The model has nothing more to do, others have: it reads how they ended. @returns whether there was something to read. */
  async *#readAwaited(signal: AbortSignal): Events<boolean> {
    const { awaited } = this.inbox;
    if (awaited.length > 0) yield waitingNotice(awaited);
    const ended = await this.inbox.takeAwaited(signal);
    yield* this.#read(ended);
    return ended.some(({ message: { origin } }) => "agent" in origin);
  }

  /** Runs a turn's calls; true when the model has repeated them so often that the run should stop. */
  async *#run(calls: readonly ToolCallContent[], signal: AbortSignal): Events<boolean> {
    const { answers: results, usage } = yield* runToolCalls(calls, this.#options.host, signal);
    if (usage !== noUsage) this.#usage = addUsage(this.#usage, usage);
    this.#history.push(...results);
    const turns = this.#repeated.add(calls, results);
    if (turns < TELL_AFTER || this.inbox.queued.length > 0 || signal.aborted) return false;
    if (turns >= STOP_AFTER) {
      yield errorEvent(repeatedCallError(turns, calls));
      return true;
    }
    const message = repetitionMessage(turns, STOP_AFTER);
    this.#history.push(message);
    yield { type: "user", message };
    yield repetitionNotice(turns);
    return false;
  }

  /** One turn of the model; compacts and tries once more when the provider says that the conversation is too long. */
  async *#turn(signal: AbortSignal): Events<Finish> {
    try {
      return yield* this.#request(signal);
    } catch (error) {
      if (signal.aborted || !isOverflow(error)) throw error;
      if (!this.#hasPastToSumUp({ isTooLong: true }))
        throw contextTooSmallError(this.#model, this.#size.fixedTokens, error);
      if (!this.#trial.mayCompact || !(yield* this.#tryToCompact(signal, { isTooLong: true }))) throw error;
    }
    try {
      return yield* this.#request(signal);
    } catch (error) {
      if (isOverflow(error)) yield* this.#endTrial({ helped: false });
      throw error;
    }
  }

  async *#request(signal: AbortSignal): Events<Finish> {
    signal.throwIfAborted();
    const { system, tools, effort, onCallBegun } = this.#options;
    const messages = messagesForModel(this.#history);
    const request = { system, messages, tools, effort, onCallBegun, signal };
    let said = "";
    try {
      for await (const event of this.#model.stream(request)) {
        if (event.type === "finish") return yield* this.#finish(event);
        if (event.type === "text_delta") said += event.text;
        if (event.type === "retry") said = "";
        yield event;
      }
    } catch (error) {
      // What the user has seen of an interrupted turn is part of the conversation.
      if (signal.aborted && said !== "")
        yield* this.#finish({
          type: "finish",
          reason: "other",
          message: interruptedMessage(said),
          usage: noUsage,
        });
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
    if (usage !== noUsage) yield* this.#endTrial({ helped: !this.#isNearlyFull });
    return finish;
  }

  get #isNearlyFull(): boolean {
    return isNearlyFull(this.usedTokens, this.#model.facts.contextTokens);
  }

  /** What the context has for the conversation; when the provider refused it as too long, less than it takes now. */
  #roomTokens({ isTooLong = false } = {}): number {
    const room = this.#model.facts.contextTokens - this.#size.fixedTokens;
    return isTooLong ? Math.min(room, guessedTokens(this.#history)) : room;
  }

  /** False when a compaction would keep everything as it is, and free nothing. */
  #hasPastToSumUp(size: { readonly isTooLong?: boolean } = {}): boolean {
    return !keptMessages(this.#history, this.#roomTokens(size)).isEverything;
  }

  /** False when there is no summary: the conversation is as it was. */
  async *#tryToCompact(signal: AbortSignal, { isTooLong = false } = {}): Events<boolean> {
    try {
      return yield* this.#compact(signal, { isTooLong });
    } catch (error) {
      if (signal.aborted || !(error instanceof OmpError)) throw error;
      yield notCompactedNotice(error.issue);
      this.#trial.start();
      yield* this.#endTrial({ helped: false });
      return false;
    }
  }

  async *#compact(signal: AbortSignal, { isTooLong = false } = {}): Events<boolean> {
    const { compactInstruction: instruction } = this.#options;
    const tokensBefore = this.usedTokens;
    const { summary, history, usage } = yield* compact({
      model: this.#model,
      history: this.#history,
      usedTokens: tokensBefore,
      roomTokens: this.#roomTokens({ isTooLong }),
      instruction,
      signal,
    });
    this.#usage = addUsage(this.#usage, usage);
    this.#trial.start();
    if (summary === "") {
      yield* this.#endTrial({ helped: false });
      return false;
    }
    this.#history = [...history];
    this.#size.forget();
    yield { type: "compacted", summary, tokensBefore, history, tokensAfter: this.usedTokens, usage };
    return true;
  }

  async *#endTrial(outcome: { readonly helped: boolean }): Events {
    if (this.#trial.end(outcome)) yield noMoreRoomNotice();
  }
}
