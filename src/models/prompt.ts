/** Converts our messages to the AI SDK's prompt: the same for all four wire formats, except for what a format cannot express. */

import type {
  LanguageModelV3FilePart,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, ModelRequest, ToolMessage, UserMessage } from "../protocol/model.ts";
import { asRecord, isRecord } from "../protocol/record.ts";
import type { ImagePart } from "../protocol/tool.ts";
import { settleHistory } from "./history.ts";

export interface PromptOptions {
  /** A model gets back only its own signatures and encrypted reasoning: it would refuse those of another. */
  readonly modelName: string;
  readonly acceptsImages: boolean;
  /** False: the format's tool results are text only, and images follow in a user message. */
  readonly imagesInResults: boolean;
  /** See settleHistory. */
  readonly plainIds?: boolean;
}

type Content<Role> = Extract<LanguageModelV3Message, { role: Role }>["content"];

export function buildPrompt(
  { system, messages }: ModelRequest,
  options: PromptOptions,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  if (system !== "") prompt.push({ role: "system", content: system.toWellFormed() });
  let results: ToolMessage[] = [];
  const flush = () => {
    if (results.length > 0) prompt.push(...toolMessages(results, options));
    results = [];
  };
  for (const message of settleHistory(messages, options)) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flush();
    if (message.role === "user") {
      prompt.push({ role: "user", content: userContent(message, options) });
      continue;
    }
    const content = message.content.flatMap((part) => assistantPart(part, options.modelName));
    if (content.length > 0) prompt.push({ role: "assistant", content });
  }
  flush();
  return prompt;
}

export function buildTools(
  { tools }: ModelRequest,
  extra: Partial<LanguageModelV3FunctionTool> = {},
): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
    ...extra,
  }));
}

function userContent({ content }: UserMessage, { acceptsImages }: PromptOptions): Content<"user"> {
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text.toWellFormed() };
    return acceptsImages ? imageFile(part) : { type: "text", text: withheldImages(1) };
  });
}

function assistantPart(part: AssistantMessage["content"][number], modelName: string): Content<"assistant"> {
  const own = ownData("providerData" in part ? part.providerData : undefined, modelName);
  const options = own && Object.keys(own).length > 0 ? { providerOptions: own } : {};
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text.toWellFormed(), ...options }];
    case "reasoning":
      return own === undefined ? [] : [{ type: "reasoning", text: part.text, ...options }];
    case "tool_call": {
      const { id: toolCallId, name: toolName } = part;
      // Arguments that are not a JSON object are wrapped in one: every format requires it.
      const input = wellFormed(isRecord(part.input) ? part.input : { input: part.input });
      return [{ type: "tool-call", toolCallId, toolName, input, ...options }];
    }
  }
}

/** Undefined: it is from another model. */
function ownData(data: unknown, modelName: string): SharedV3ProviderOptions | undefined {
  const { model, ...byProvider } = asRecord(data);
  return model === modelName ? (byProvider as SharedV3ProviderOptions) : undefined;
}

/** A model may write half a surrogate pair into its arguments; sent back, it would be refused as bad JSON. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]),
  );
}

function toolMessages(results: readonly ToolMessage[], options: PromptOptions): LanguageModelV3Message[] {
  const tool: LanguageModelV3Message = {
    role: "tool",
    content: results.map((each) => resultPart(each, options)),
  };
  const shown = results.filter(({ images }) => images !== undefined && images.length > 0);
  if (options.imagesInResults || !options.acceptsImages || shown.length === 0) return [tool];
  const content: Content<"user"> = shown.flatMap(({ name, callId, images = [] }) => [
    { type: "text", text: `Shown by ${name} (${callId}):` },
    ...images.map(imageFile),
  ]);
  return [tool, { role: "user", content }];
}

function resultPart(
  { callId, name, output, isError, images = [] }: ToolMessage,
  { acceptsImages, imagesInResults }: PromptOptions,
): LanguageModelV3ToolResultPart {
  const value = output.toWellFormed();
  const part = { type: "tool-result", toolCallId: callId, toolName: name } as const;
  if (images.length > 0 && acceptsImages && imagesInResults) {
    const data = images.map(({ mediaType, base64 }) => ({
      type: "image-data" as const,
      mediaType,
      data: base64,
    }));
    const text = value === "" ? [] : [{ type: "text" as const, text: value }];
    return { ...part, output: { type: "content", value: [...text, ...data] } };
  }
  const note = images.length > 0 && !acceptsImages ? `\n${withheldImages(images.length)}` : "";
  return { ...part, output: { type: isError ? "error-text" : "text", value: `${value}${note}` } };
}

function imageFile({ mediaType, base64 }: ImagePart): LanguageModelV3FilePart {
  return { type: "file", mediaType, data: base64 };
}

function withheldImages(count: number): string {
  return `[${count === 1 ? "an image" : `${count} images`} not shown: this model takes text only]`;
}
