/** Google's Gemini API. */

import { promptFrom, toolsFrom } from "./prompt.ts";
import { patientFetch, type WireModel, type WireOptions } from "./wire.ts";

export async function openGoogle(options: WireOptions): Promise<WireModel> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const { provider, modelId, baseUrl, apiKey, entry } = options;
  const google = createGoogleGenerativeAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? "",
    headers: { ...options.headers },
    fetch: patientFetch,
  });
  const prompting = {
    modelName: `${provider}/${modelId}`,
    acceptsImages: entry.images,
    imagesInResults: true,
  };
  return {
    language: google(modelId),
    call: (request) => ({
      prompt: promptFrom(request, prompting),
      tools: toolsFrom(request),
      maxOutputTokens: entry.maxOutputTokens,
      ...(entry.reasoning && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
    }),
  };
}
