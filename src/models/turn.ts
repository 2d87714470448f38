/** One attempt at a turn: converts the AI SDK's stream parts to our events, which end with the whole message. */

import type {
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  FinishReason,
  ModelEvent,
  ProviderData,
  ReasoningContent,
  TextContent,
  ToolCallContent,
  Usage,
} from "../protocol/model.ts";
import { asRecord, parseJson } from "../protocol/record.ts";
import { BrokenStreamError } from "./failure.ts";

export interface TurnOptions {
  /** Stored with provider data, which only the model that made it may get back. */
  readonly modelName: string;
  readonly usageOf: (raw: LanguageModelV3Usage) => Usage;
  readonly onCallBegun?: ((name: string) => void) | undefined;
}

interface Block {
  readonly type: "text" | "reasoning";
  readonly pieces: string[];
  data: SharedV3ProviderMetadata;
}

type Finish = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

export async function* streamTurn(
  parts: AsyncIterable<LanguageModelV3StreamPart>,
  { modelName, usageOf, onCallBegun }: TurnOptions,
): AsyncGenerator<ModelEvent> {
  const content: (Block | ToolCallContent)[] = [];
  const open = new Map<string, Block>();
  const callIds = new Set<string>();
  /** Calls whose arguments are no whole JSON. */
  const halfCalls = new Set<unknown>();
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
      case "text-delta":
      case "text-end":
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        const type = part.type.startsWith("text") ? "text" : "reasoning";
        const into = block(type, part.id);
        addData(into, part.providerMetadata);
        // Some providers reuse an id for the next block.
        if (part.type.endsWith("end")) open.delete(`${type} ${part.id}`);
        if (!("delta" in part) || part.delta === "") break;
        into.pieces.push(part.delta);
        yield { type: `${type}_delta`, text: part.delta };
        break;
      }
      case "tool-input-start":
        if (!part.providerExecuted) onCallBegun?.(part.toolName);
        break;
      case "tool-call":
        if (part.providerExecuted) break;
        content.push({
          type: "tool_call",
          id: uniqueId(part.toolCallId, callIds),
          name: part.toolName,
          input: parseInput(part.input),
          ...dataFrom(part.providerMetadata ?? {}, modelName),
        });
        if (parseJson(part.input) === undefined) halfCalls.add(content.at(-1));
        break;
      case "error":
        if (isNewEvent(part.error)) break;
        throw part.error;
      case "finish":
        finish = part;
        break;
    }
  }

  if (finish === undefined) throw new BrokenStreamError("the stream ended before the turn did");
  const { unified, raw } = finish.finishReason;
  if (unified === "error" || raw === "error")
    throw new BrokenStreamError(`it ended with ${raw ?? "an error"}`);
  // When the closing event is missing, the SDK makes up a finish reason.
  if (unified === "other" && raw === undefined)
    throw new BrokenStreamError("the stream ended before the turn did");
  const isCut = (call: ToolCallContent) => unified === "length" && halfCalls.has(call);
  const message: AssistantMessage = {
    role: "assistant",
    content: content.flatMap((each): AssistantMessage["content"] => {
      if (each.type !== "tool_call") return finishBlock(each, modelName);
      return [isCut(each) ? { ...each, isCutOff: true } : each];
    }),
  };
  // Gemini's OTHER and UNEXPECTED_TOOL_CALL, or a call without a name: there is no answer, so the request is repeated.
  // Other servers have their own words for a regular end, where an empty answer is fine; Gemini's are in capitals.
  const isVoid = unified === "tool-calls" || (unified === "other" && /^[A-Z_]+$/.test(raw ?? ""));
  if (isVoid && message.content.every(({ type }) => type === "reasoning"))
    throw new BrokenStreamError(`it ended with ${raw ?? unified} and no answer`);
  const reason = reasonOf(unified, message);
  yield { type: "finish", reason, message, usage: usageOf(finish.usage) };
}

const KNOWN_EVENT_TYPES = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;

/** Anthropic adds event types and asks clients to ignore unknown ones; the SDK reports them as errors. */
function isNewEvent(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error))
    return false;
  const { type } = asRecord(error.value);
  return typeof type === "string" && !KNOWN_EVENT_TYPES.test(type);
}

function finishBlock({ type, pieces, data }: Block, modelName: string): (TextContent | ReasoningContent)[] {
  const text = pieces.join("");
  const kept = dataFrom(data, modelName);
  // Reasoning may have no text, only the data that the provider wants back.
  if (text === "" && (type === "text" || kept.providerData === undefined)) return [];
  // Even unsigned reasoning goes back only to the model that made it.
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

/** Compatible servers may omit ids or use one twice. */
function uniqueId(id: string, seen: Set<string>): string {
  const unique =
    id === "" || seen.has(id) ? `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}` : id;
  seen.add(unique);
  return unique;
}

function parseInput(json: string): unknown {
  if (json.trim() === "") return {};
  const parsed = parseJson(json);
  // Checking the text against the tool's schema tells the model what is wrong.
  return parsed === undefined ? json : parsed;
}

function reasonOf(unified: Finish["finishReason"]["unified"], { content }: AssistantMessage): FinishReason {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "refused";
  // Not every server reports tool calls as the finish reason.
  if (content.some(({ type }) => type === "tool_call")) return "tool_calls";
  return unified === "stop" ? "stop" : "other";
}
