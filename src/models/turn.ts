/** One attempt at a turn: the parts that the AI SDK streams, as our events, ending with the whole message. */

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import type {
  AssistantMessage,
  FinishReason,
  ModelEvent,
  ProviderData,
  ReasoningContent,
  TextContent,
  ToolCallContent,
} from "../protocol/model.ts";
import { asRecord } from "../protocol/record.ts";
import { BrokenStream } from "./failure.ts";
import type { RawUsage } from "./usage.ts";

export interface TurnOptions {
  /** Written into everything that only the model which made it may get back. */
  readonly modelName: string;
  readonly usageOf: (raw: RawUsage) => Extract<ModelEvent, { type: "finish" }>["usage"];
}

interface Block {
  readonly type: "text" | "reasoning";
  readonly pieces: string[];
  data: SharedV3ProviderMetadata;
}

type Finish = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

export async function* turnEvents(
  parts: AsyncIterable<LanguageModelV3StreamPart>,
  { modelName, usageOf }: TurnOptions,
): AsyncGenerator<ModelEvent> {
  const content: (Block | ToolCallContent)[] = [];
  const open = new Map<string, Block>();
  const callIds = new Set<string>();
  let finish: Finish | undefined;

  const block = (type: Block["type"], id: string): Block => {
    const found = open.get(`${type} ${id}`);
    if (found !== undefined) return found;
    const made: Block = { type, pieces: [], data: {} };
    open.set(`${type} ${id}`, made);
    content.push(made);
    return made;
  };

  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        addData(block(part.type === "text-start" ? "text" : "reasoning", part.id), part.providerMetadata);
        break;
      case "text-delta":
      case "reasoning-delta": {
        const type = part.type === "text-delta" ? "text" : "reasoning";
        const into = block(type, part.id);
        addData(into, part.providerMetadata);
        if (part.delta === "") break;
        into.pieces.push(part.delta);
        yield { type: `${type}_delta`, text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const type = part.type === "text-end" ? "text" : "reasoning";
        addData(block(type, part.id), part.providerMetadata);
        // Some providers use an id again for the next block.
        open.delete(`${type} ${part.id}`);
        break;
      }
      case "tool-call":
        if (part.providerExecuted) break;
        content.push({
          type: "tool_call",
          id: uniqueId(part.toolCallId, callIds),
          name: part.toolName,
          input: parsedInput(part.input),
          ...dataFrom(part.providerMetadata ?? {}, modelName),
        });
        break;
      case "error":
        if (isNewEvent(part.error)) break;
        throw part.error;
      case "finish":
        finish = part;
        break;
    }
  }

  if (finish === undefined) throw new BrokenStream("the stream ended before the turn did");
  const { unified, raw } = finish.finishReason;
  if (unified === "error" || raw === "error") throw new BrokenStream(`it ended with ${raw ?? "an error"}`);
  // Where the closing event never came, the SDK finishes with a reason that no provider gave.
  if (unified === "other" && raw === undefined)
    throw new BrokenStream("the stream ended before the turn did");
  const message: AssistantMessage = {
    role: "assistant",
    content: content.flatMap((each): AssistantMessage["content"] =>
      isCall(each) ? [each] : finished(each, modelName),
    ),
  };
  // Gemini's OTHER and UNEXPECTED_TOOL_CALL, a call without a name: no answer, and nothing to do about it but to ask again.
  // Other servers have words of their own for a proper end, in which nothing needs to be said; Gemini's are in capitals.
  const isVoid = unified === "tool-calls" || (unified === "other" && /^[A-Z_]+$/.test(raw ?? ""));
  if (isVoid && message.content.every(isReasoning))
    throw new BrokenStream(`it ended with ${raw ?? unified} and without an answer`);
  const reason = reasonOf(unified, message);
  yield { type: "finish", reason, message, usage: usageOf(finish.usage) };
}

const eventTypes = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;

/** Anthropic adds types of events, and asks everybody to pass over those that they do not know; the SDK takes them for errors. */
function isNewEvent(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error))
    return false;
  const { type } = asRecord(error.value);
  return typeof type === "string" && !eventTypes.test(type);
}

function isCall(each: Block | ToolCallContent): each is ToolCallContent {
  return each.type === "tool_call";
}

function isReasoning({ type }: AssistantMessage["content"][number]): boolean {
  return type === "reasoning";
}

function finished({ type, pieces, data }: Block, modelName: string): (TextContent | ReasoningContent)[] {
  const text = pieces.join("");
  const kept = dataFrom(data, modelName);
  // Reasoning may come without a word: what counts is what the provider wants back.
  if (text === "" && (type === "text" || kept.providerData === undefined)) return [];
  // The reasoning of a model that signs nothing is still only its own.
  if (type === "reasoning") return [{ type, text, providerData: kept.providerData ?? { model: modelName } }];
  return [{ type, text, ...kept }];
}

function addData(into: Block, metadata: SharedV3ProviderMetadata | undefined): void {
  for (const [provider, values] of Object.entries(metadata ?? {})) {
    into.data = { ...into.data, [provider]: { ...into.data[provider], ...values } };
  }
}

function dataFrom(metadata: SharedV3ProviderMetadata, modelName: string): { providerData?: ProviderData } {
  const isEmpty = Object.values(metadata).every((values) => Object.keys(values).length === 0);
  return isEmpty ? {} : { providerData: { model: modelName, ...metadata } };
}

/** Servers that imitate OpenAI may leave ids out, or give the same one twice. */
function uniqueId(id: string, seen: Set<string>): string {
  const unique =
    id === "" || seen.has(id) ? `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}` : id;
  seen.add(unique);
  return unique;
}

function parsedInput(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json);
  } catch (error) {
    // The tool's schema says to the model what is wrong with it.
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

function reasonOf(unified: Finish["finishReason"]["unified"], { content }: AssistantMessage): FinishReason {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "refused";
  // Not every server that asks for tools says so at the end.
  if (content.some(({ type }) => type === "tool_call")) return "tool_calls";
  return unified === "stop" ? "stop" : "other";
}
