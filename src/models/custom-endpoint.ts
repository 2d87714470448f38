/** An OpenAI-compatible endpoint of the user's own, as a value; reading it from settings is `config`'s. */

import { type CatalogueEntry, type Price, unknownEntry } from "./catalogue.ts";
import type { Provider } from "./providers.ts";

export interface CustomEndpoint {
  /** What goes before the slash in a model's name. */
  readonly name: string;
  readonly baseUrl: string;
  /** The variable that holds the key; none: no key is sent. */
  readonly apiKeyEnv?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is known of its models; others may be named all the same. */
  readonly models?: readonly CustomModel[];
}

export interface CustomModel {
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  readonly reasoning?: boolean;
  readonly price?: Price;
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
  const { id: _, ...known } = models.find((model) => model.id === id) ?? { id };
  return { ...unknownEntry({ isLocal: false }), ...known };
}
