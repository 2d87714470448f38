/** Lists every provider: whether it is ready, what would make it ready, and its models with their prices. */

import { type CatalogueEntry, catalogueModels, type Price, unknownEntry } from "./catalogue.ts";
import { type CustomEndpoint, endpointEntry, endpointProvider } from "./custom-endpoint.ts";
import { findLocalServers } from "./local-servers.ts";
import { baseUrlOf, completeUrl, keyOf, type Provider, providers, type Variables } from "./providers.ts";

export interface ListedModel extends Pick<CatalogueEntry, "contextTokens" | "maxOutputTokens" | "images"> {
  readonly name: string;
  readonly reasoning: boolean;
  /** Dollars per million tokens; null if unknown or free. */
  readonly price: Price | null;
}

export interface ListedProvider {
  readonly name: string;
  readonly baseUrl: string;
  /** Has its key, or needs none and answers. */
  readonly ready: boolean;
  /** What makes it ready, or would. */
  readonly note: string;
  readonly keyVariables: readonly string[];
  readonly models: readonly ListedModel[];
}

export async function listProviders(
  env: Variables,
  endpoints: readonly CustomEndpoint[],
): Promise<ListedProvider[]> {
  const local = await findLocalServers({ env });
  const remote = providers
    .filter(({ isLocal }) => !isLocal)
    .map((provider): ListedProvider => {
      const models = catalogueModels(provider.name).map(({ id, entry }) =>
        toListedModel(provider.name, id, entry),
      );
      return { name: provider.name, baseUrl: baseUrlOf(provider, env), ...keyState(provider, env), models };
    });
  const servers = local.map(
    ({ provider, baseUrl, isRunning, models }): ListedProvider => ({
      name: provider,
      baseUrl,
      ready: isRunning,
      note: isRunning ? `runs at ${baseUrl}` : `not found at ${baseUrl}`,
      keyVariables: [],
      models: models.map(({ id, ...facts }) =>
        toListedModel(provider, id, { ...unknownEntry({ isLocal: true }), ...facts }),
      ),
    }),
  );
  const custom = endpoints.map((endpoint): ListedProvider => {
    const { name, models = [] } = endpoint;
    const provider = endpointProvider(endpoint);
    const baseUrl = completeUrl(endpoint.baseUrl, provider, `${name}'s address`);
    const state = keyState(provider, env);
    return {
      name,
      baseUrl,
      ...state,
      models: models.map(({ id }) => toListedModel(name, id, endpointEntry(endpoint, id))),
    };
  });
  return [...remote, ...servers, ...custom];
}

function keyState(
  provider: Provider,
  env: Variables,
): Pick<ListedProvider, "ready" | "note" | "keyVariables"> {
  const { keyVariables } = provider;
  const key = keyOf(provider, env);
  if (keyVariables.length === 0) return { ready: true, note: "needs no key", keyVariables };
  if (key === undefined) return { ready: false, note: `set ${keyVariables.join(" or ")}`, keyVariables };
  return { ready: true, note: `${key.variable} is set`, keyVariables };
}

function toListedModel(provider: string, id: string, entry: CatalogueEntry): ListedModel {
  const { contextTokens, maxOutputTokens, images, reasoning, price } = entry;
  return {
    name: `${provider}/${id}`,
    contextTokens,
    maxOutputTokens,
    images,
    reasoning: reasoning !== false,
    price: price ?? null,
  };
}
