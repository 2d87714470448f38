/** Anthropic's Messages API. */

import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { promptFrom, toolsFrom } from "./prompt.ts";
import { patientFetch, type WireModel, type WireOptions } from "./wire.ts";

const cached: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** The request must name a limit. A larger one would count against the context on models that check it up front. */
const longestAnswer = 32_000;

export async function openAnthropic(options: WireOptions): Promise<WireModel> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { provider, modelId, baseUrl, apiKey, keyVariable, entry } = options;
  const isToken = keyVariable === "ANTHROPIC_AUTH_TOKEN";
  const anthropic = createAnthropic({
    baseURL: baseUrl,
    headers: { ...options.headers },
    fetch: patientFetch,
    ...(isToken ? { authToken: apiKey ?? "" } : { apiKey: apiKey ?? "" }),
  });
  const prompting = {
    modelName: `${provider}/${modelId}`,
    acceptsImages: entry.images,
    imagesInResults: true,
    plainIds: true,
  };
  // Newer models think by themselves, but show nothing of it unless asked to.
  const thinking = entry.reasoning === "adaptive" ? { type: "adaptive", display: "summarized" } : undefined;
  return {
    language: anthropic(modelId),
    call: (request) => ({
      prompt: withCachedEnds(promptFrom(request, prompting)),
      tools: withCachedEnd(toolsFrom(request)),
      maxOutputTokens: Math.min(entry.maxOutputTokens, longestAnswer),
      ...(thinking && { providerOptions: { anthropic: { thinking } } }),
    }),
  };
}

/**
 * Four places may be marked: tools, system, and the ends of the last two messages that are ours. The second to last was the
 * last one of the request before, so that what was written then is read now.
 */
function withCachedEnds(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const ours = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set(ours.slice(-2));
  return prompt.map((message, index) =>
    message.role === "system" || marked.has(index) ? { ...message, providerOptions: cached } : message,
  );
}

function withCachedEnd(tools: LanguageModelV3FunctionTool[]): LanguageModelV3FunctionTool[] {
  return tools.map((tool, index) =>
    index === tools.length - 1 ? { ...tool, providerOptions: cached } : tool,
  );
}
