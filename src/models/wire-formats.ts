/**
 * The four wire formats: opens each with its AI SDK package, which is loaded only then, and adds what its requests need beyond
 * the common prompt.
 */

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { ModelRequest } from "../protocol/model.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { reasoningOptions } from "./effort.ts";
import { eventFormats } from "./event-formats.ts";
import type { Service } from "./failure.ts";
import { buildPrompt, buildTools, type PromptOptions } from "./prompt.ts";
import { findProvider, type Wire } from "./providers.ts";
import { streamingFetch } from "./streaming-fetch.ts";

export interface WireOptions extends Service {
  /** The variable that the key was read from: it can determine the kind of key. */
  readonly keyVariable: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What the user wants in every request, and the longest answer that they want. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly maxOutputTokens: number | undefined;
  readonly entry: CatalogueEntry;
  /** The same for all requests of a session, so that the provider finds the cached prompt. */
  readonly cacheKey: string | undefined;
}

export interface WireModel {
  readonly language: LanguageModelV3;
  readonly call: (
    request: ModelRequest,
    sight: Pick<PromptOptions, "acceptsImages">,
  ) => Omit<LanguageModelV3CallOptions, "abortSignal">;
}

export const openWire: Readonly<Record<Wire, (options: WireOptions) => Promise<WireModel>>> = {
  anthropic: openAnthropic,
  openai: openOpenai,
  google: openGoogle,
  compatible: openCompatible,
};

/** The request must name a limit. A larger one would count against the context on models that check it up front. */
const MAX_ANSWER_TOKENS = 32_000;

/** The Messages API. */
async function openAnthropic(options: WireOptions): Promise<WireModel> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { modelId, apiKey = "", keyVariable, entry } = options;
  const isToken = keyVariable === "ANTHROPIC_AUTH_TOKEN";
  const anthropic = createAnthropic({
    ...connectionOptions(options, "anthropic"),
    ...(isToken ? { authToken: apiKey } : { apiKey }),
  });
  const promptOptions = { modelName: nameOf(options), imagesInResults: true, plainIds: true };
  return {
    language: anthropic(modelId),
    call: (request, sight) => ({
      prompt: markCachedMessages(buildPrompt(request, { ...promptOptions, ...sight })),
      tools: markLastCached(buildTools(request)),
      maxOutputTokens: Math.min(entry.maxOutputTokens, MAX_ANSWER_TOKENS),
      ...reasoning("anthropic", options, request),
    }),
  };
}

const cached = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const;

/**
 * Four cache points are allowed: tools, system, and the last two messages from our side. The second to last one ended the
 * previous request, so its cache entry is read now.
 */
function markCachedMessages(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const ours = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set(ours.slice(-2));
  return prompt.map((message, index) =>
    message.role === "system" || marked.has(index) ? { ...message, ...cached } : message,
  );
}

function markLastCached(tools: LanguageModelV3FunctionTool[]): LanguageModelV3FunctionTool[] {
  return tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, ...cached } : tool));
}

/** The Responses API. Nothing is stored there: reasoning arrives encrypted and is sent back with the next request. */
async function openOpenai(options: WireOptions): Promise<WireModel> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { modelId, apiKey = "", cacheKey, maxOutputTokens } = options;
  const openai = createOpenAI({ ...connectionOptions(options, "openai"), apiKey });
  const promptOptions = { modelName: nameOf(options), imagesInResults: true, plainIds: true };
  const settings = {
    store: false,
    ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
  };
  return {
    language: openai.responses(modelId),
    call: (request, sight) => ({
      prompt: buildPrompt(request, { ...promptOptions, ...sight }),
      // Without this the API treats the schema as strict and makes every optional field required.
      tools: buildTools(request, { strict: false }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      providerOptions: {
        openai: { ...settings, ...reasoningOptions("openai", options, request.effort)?.["openai"] },
      },
    }),
  };
}

async function openGoogle(options: WireOptions): Promise<WireModel> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const { modelId, apiKey = "", entry } = options;
  const google = createGoogleGenerativeAI({ ...connectionOptions(options, "google"), apiKey });
  const promptOptions = { modelName: nameOf(options), imagesInResults: true };
  return {
    language: google(modelId),
    call: (request, sight) => ({
      prompt: buildPrompt(request, { ...promptOptions, ...sight }),
      tools: buildTools(request),
      maxOutputTokens: entry.maxOutputTokens,
      ...reasoning("google", options, request),
    }),
  };
}

/** Chat Completions, as OpenRouter, local servers and custom endpoints offer them. */
async function openCompatible(options: WireOptions): Promise<WireModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { provider, modelId, apiKey, maxOutputTokens } = options;
  const compatible = createOpenAICompatible({
    ...connectionOptions(options, "compatible"),
    name: provider,
    includeUsage: true,
    supportsStructuredOutputs: holdsToSchema(options),
    ...(apiKey !== undefined && { apiKey }),
    // OpenRouter caches for Anthropic's models only on request; the other providers cache anyway.
    ...(provider === "openrouter" &&
      modelId.startsWith("anthropic/") && {
        transformRequestBody: (body: Record<string, unknown>) => ({
          ...body,
          cache_control: { type: "ephemeral" },
        }),
      }),
  });
  const promptOptions = { modelName: nameOf(options), imagesInResults: false };
  return {
    language: compatible(modelId),
    call: (request, sight) => ({
      prompt: buildPrompt(request, { ...promptOptions, ...sight }),
      tools: buildTools(request),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(request.answerSchema &&
        holdsToSchema(options) && { responseFormat: { type: "json", schema: request.answerSchema } }),
      ...reasoning("compatible", options, request),
    }),
  };
}

/** Local servers let a model write only what fits a schema; small models need it. */
export function holdsToSchema({ provider }: Pick<WireOptions, "provider">): boolean {
  return findProvider(provider)?.isLocal === true;
}

function reasoning(wire: Wire, options: WireOptions, { effort }: ModelRequest) {
  const providerOptions = reasoningOptions(wire, options, effort);
  return providerOptions && { providerOptions };
}

function connectionOptions({ baseUrl, headers, parameters }: WireOptions, wire: Wire) {
  const fetch = streamingFetch({ events: eventFormats[wire], parameters });
  return { baseURL: baseUrl, headers: { ...headers }, fetch };
}

function nameOf({ provider, modelId }: WireOptions): string {
  return `${provider}/${modelId}`;
}
