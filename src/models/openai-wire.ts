/** OpenAI's Responses API. Nothing is stored there: reasoning comes encrypted and goes back with the next request. */

import { promptFrom, toolsFrom } from "./prompt.ts";
import { patientFetch, type WireModel, type WireOptions } from "./wire.ts";

export async function openOpenai(options: WireOptions): Promise<WireModel> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { provider, modelId, baseUrl, apiKey, entry, cacheKey } = options;
  const openai = createOpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? "",
    headers: { ...options.headers },
    fetch: patientFetch,
  });
  const prompting = {
    modelName: `${provider}/${modelId}`,
    acceptsImages: entry.images,
    imagesInResults: true,
    plainIds: true,
  };
  const settings = {
    store: false,
    ...(entry.reasoning && { reasoningSummary: "auto" }),
    ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
  };
  return {
    language: openai.responses(modelId),
    call: (request) => ({
      prompt: promptFrom(request, prompting),
      // The API takes a schema without the word as a strict one, and would make every optional field required.
      tools: toolsFrom(request, { strict: false }),
      providerOptions: { openai: settings },
    }),
  };
}
