/** The user's own OpenAI-compatible endpoints, as values; `config` reads them from settings. */

import { type CatalogueEntry, type Price, unknownEntry } from "./catalogue.ts";
import type { Provider } from "./providers.ts";

export interface CustomEndpoint {
  /** The part before the slash in a model's name. */
  readonly name: string;
  readonly baseUrl: string;
  /** The variable that holds the key. Undefined: no key is sent. */
  readonly apiKeyEnv?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
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
}

export function endpointProvider({ name, baseUrl, apiKeyEnv }: CustomEndpoint): Provider {
  return {
    name,
    wire: "compatible",
    keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv],
    baseUrlVariables: [],
    baseUrl,
    versionPath: "/v1",
    isLocal: false,
  };
}

export function endpointEntry({ models = [] }: CustomEndpoint, id: string): CatalogueEntry {
  const known = models.find((model) => model.id === id);
  const unknown = unknownEntry({ isLocal: false });
  return {
    ...unknown,
    contextTokens: known?.contextTokens ?? unknown.contextTokens,
    maxOutputTokens: known?.maxOutputTokens ?? unknown.maxOutputTokens,
    images: known?.images ?? unknown.images,
    reasoning: known?.reasoning ?? unknown.reasoning,
    ...(known?.price ? { price: known.price } : {}),
  };
}
