/** Chat Completions as OpenAI defined them and many others speak them: OpenRouter, local servers, custom endpoints. */

import { promptFrom, toolsFrom } from "./prompt.ts";
import { patientFetch, type WireModel, type WireOptions } from "./wire.ts";

export async function openCompatible(options: WireOptions): Promise<WireModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { provider, modelId, baseUrl, apiKey, entry } = options;
  const compatible = createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    headers: { ...options.headers },
    fetch: patientFetch,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    // OpenRouter caches for Anthropic's models only when asked to; the others cache by themselves.
    ...(provider === "openrouter" &&
      modelId.startsWith("anthropic/") && {
        transformRequestBody: (body: Record<string, unknown>) => ({
          ...body,
          cache_control: { type: "ephemeral" },
        }),
      }),
  });
  const prompting = {
    modelName: `${provider}/${modelId}`,
    acceptsImages: entry.images,
    imagesInResults: false,
  };
  return {
    language: compatible(modelId),
    call: (request) => ({ prompt: promptFrom(request, prompting), tools: toolsFrom(request) }),
  };
}
