/** The user's own OpenAI-compatible endpoints, as values; `config` reads them from settings. */

import { type CatalogueEntry, type Price, unknownEntry } from "./catalogue.ts";
import type { Provider } from "./providers.ts";

export interface CustomEndpoint {
  /** The part before the slash in a model's name. */
  readonly name: string;
  readonly baseUrl: string;
  /** The variable that holds the key. Undefined: no key is sent. */
  readonly apiKeyEnv?: string | undefined;
  /** Chat Completions, unless it says otherwise. */
  readonly api?: "chat-completions" | "responses" | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Goes into every request as it is: `temperature`, `reasoning`, … */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Facts about some models; others can be used as well. */
  readonly models?: readonly CustomModel[] | undefined;
}

export interface CustomModel {
  readonly id: string;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly images?: boolean | undefined;
  readonly reasoning?: boolean | undefined;
  readonly price?: Price | undefined;
  /** In addition to the endpoint's, or in their place. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

export function endpointProvider({ name, baseUrl, apiKeyEnv, api }: CustomEndpoint): Provider {
  return {
    name,
    wire: api === "responses" ? "openai" : "compatible",
    keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv],
    baseUrlVariables: [],
    baseUrl,
    versionPath: "/v1",
    isLocal: false,
  };
}

/** @param reported what the server says, where the settings say nothing. */
export function endpointEntry(
  { models = [] }: CustomEndpoint,
  id: string,
  reported: Partial<CatalogueEntry> = {},
): CatalogueEntry {
  const known = models.find((model) => model.id === id);
  const unknown = { ...unknownEntry({ isLocal: false }), ...reported };
  return {
    ...unknown,
    contextTokens: known?.contextTokens ?? unknown.contextTokens,
    maxOutputTokens: known?.maxOutputTokens ?? unknown.maxOutputTokens,
    images: known?.images ?? unknown.images,
    reasoning: known?.reasoning ?? unknown.reasoning,
    ...(known?.price ? { price: known.price } : {}),
  };
}
