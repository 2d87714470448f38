/** A language model, as the agent loop sees it. */

import type { ImagePart, JsonSchema, ToolResult } from "./tool.ts";

export interface TextContent {
  readonly type: "text";
  readonly text: string;
  /** Of a text that only the model reads: what a person is shown instead. */
  readonly notice?: string;
}

export interface ImageContent extends ImagePart {
  readonly type: "image";
}

/** What the provider wants back unchanged with the next request (signatures, encrypted reasoning). Opaque to everyone else. */
export type ProviderData = Readonly<Record<string, unknown>>;

export interface ReasoningContent {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerData?: ProviderData;
}

export interface ToolCallContent {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** Parsed JSON; a string that was not JSON stays the string, and misses the tool's schema. */
  readonly input: unknown;
  /** The model's longest output was reached before the call was complete: it cannot be run. */
  readonly isCutOff?: boolean;
  readonly providerData?: ProviderData;
}

/** Where a user message came from. A model reads the message's content; a person is shown what the origin calls for. */
export type MessageOrigin =
  | { readonly kind: "typed" }
  /** Piped into omp, alone or below a typed prompt. */
  | { readonly kind: "stdin" }
  /** The report of code that the user ran and whose output they have seen; the artifacts that it made. */
  | {
      readonly kind: "ran";
      readonly tool: string;
      readonly code: string;
      /** The copy of the kernel that it ran in. */
      readonly branch?: string;
      readonly artifacts?: readonly string[];
      readonly isError?: boolean;
    }
  /** Background work has ended; where it was a subagent, its name. */
  | { readonly kind: "announcement"; readonly notice: string; readonly agent?: string }
  /** The session was resumed, and lost state. */
  | { readonly kind: "resumed"; readonly notice: string }
  /** The model goes round in circles. */
  | { readonly kind: "repetition" }
  /** Takes the place of the messages that a compaction removed. */
  | { readonly kind: "summary" };

export interface UserMessage {
  readonly role: "user";
  readonly origin: MessageOrigin;
  readonly content: readonly (TextContent | ImageContent)[];
}

export function userMessage(text: string, origin: MessageOrigin = { kind: "typed" }): UserMessage {
  return { role: "user", origin, content: [{ type: "text", text }] };
}

/** The text of a message, without images, reasoning and calls. */
export function messageText(
  { content }: { readonly content: readonly { readonly type: string; readonly text?: string }[] },
  separator = "\n",
): string {
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join(separator);
}

/** What a person is shown of a message: without the parts that only the model reads. */
export function shownText({ content }: UserMessage): string {
  return content
    .flatMap((part) => (part.type === "text" && part.notice === undefined ? [part.text] : []))
    .join("\n");
}

/** Where those parts went, a line each. */
export function noticesIn({ content }: UserMessage): readonly string[] {
  return content.flatMap((part) => (part.type === "text" && part.notice !== undefined ? [part.notice] : []));
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ReasoningContent | ToolCallContent)[];
  /** The user interrupted the turn: the content is what had arrived by then. */
  readonly isInterrupted?: boolean;
}

/** The answer to one tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly output: string;
  readonly isError: boolean;
  readonly images?: readonly ImagePart[];
}

export function toolMessage(
  { id, name }: Pick<ToolCallContent, "id" | "name">,
  { output, isError, images }: Pick<ToolResult, "output" | "isError" | "images">,
): ToolMessage {
  return { role: "tool", callId: id, name, output, isError, ...(images ? { images } : {}) };
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** How hard a model should think. */
export type Effort = "low" | "medium" | "high";

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** What the answer has to fit. Servers that can hold a model to it do; others ignore it, so that the request has to say it, too. */
  readonly answerSchema?: JsonSchema | undefined;
  /** Less than the model's own limit. */
  readonly maxOutputTokens?: number | undefined;
  /** Undefined: the provider's default. */
  readonly effort?: Effort | undefined;
  /** The model has begun to write a call: its name, long before its input is complete. */
  readonly onCallBegun?: ((name: string) => void) | undefined;
  readonly signal: AbortSignal;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Undefined for a model whose price is not known. */
  readonly costUsd?: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export type FinishReason = "stop" | "tool_calls" | "length" | "refused" | "other";

export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "reasoning_delta"; readonly text: string }
  /** A request failed before anything of it was used, and is made again. */
  | {
      readonly type: "retry";
      /** How many have failed. */
      readonly attempt: number;
      /** How many there will be at most. */
      readonly attempts?: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** Always last: the whole turn, as it goes into the history. */
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly message: AssistantMessage;
      readonly usage: Usage;
    };

export interface ModelFacts {
  /** `provider/id`, as the user names it. */
  readonly name: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly acceptsImages: boolean;
  /** Whether it can be told how hard to think. */
  readonly takesEffort: boolean;
}

export interface Model {
  readonly facts: ModelFacts;
  /** One turn. Throws `ModelError`; a run that was aborted throws the signal's reason. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
