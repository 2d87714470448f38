/** A model's name → the model. Loads only what that one model needs. */

import type { Model } from "../protocol/model.ts";
import { type CatalogueEntry, catalogueDefault, catalogueEntry, unknownEntry } from "./catalogue.ts";
import { type CustomEndpoint, endpointEntry, endpointProvider } from "./custom-endpoint.ts";
import { ModelError } from "./errors.ts";
import {
  baseUrlOf,
  completeUrl,
  findProvider,
  type Key,
  keyOf,
  type Provider,
  providers,
  type Variables,
} from "./providers.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";
import type { WireModel, WireOptions } from "./wire.ts";

export interface OpenModelOptions {
  readonly env: Variables;
  /** What a relative path in `script:<file>` is relative to. */
  readonly cwd: string;
  readonly endpoints?: readonly CustomEndpoint[];
  readonly retry?: Partial<RetryPolicy>;
  readonly idleTimeoutMs?: number;
  /** The session's id, or anything that stays the same for its requests. */
  readonly cacheKey?: string;
  /** Between the pieces of what the demo says, for people who watch. */
  readonly demoPaceMs?: number;
}

/** A local server may read a long prompt for minutes before it says a word. */
const defaultIdleTimeoutMs = 10 * 60_000;

/** Throws ModelError: a name that is none, an unknown provider, a key that is not set, a script that cannot be read. */
export async function openModel(name: string, options: OpenModelOptions): Promise<Model> {
  if (name === "demo") return (await import("./demo.ts")).demoModel({ paceMs: options.demoPaceMs ?? 0 });
  if (name.startsWith("script:")) {
    const { openScript } = await import("./script.ts");
    return openScript(name.slice("script:".length), { cwd: options.cwd, retry: options.retry });
  }
  const { provider, id, endpoint } = resolveName(name, options);
  const key = keyOf(provider, options.env);
  if (key === undefined && provider.keyVariables.length > 0) throw missingKey(provider);
  if (key !== undefined && !/^[\x20-\x7e]+$/.test(key.value)) throw garbledKey(key);
  const entry = entryOf(provider, id, endpoint);
  const baseUrl = endpoint
    ? completeUrl(endpoint.baseUrl, provider, `${provider.name}'s address`)
    : baseUrlOf(provider, options.env);
  const wire: WireOptions = {
    provider: provider.name,
    modelId: id,
    baseUrl,
    apiKey: key?.value,
    keyVariable: key?.variable,
    headers: endpoint?.headers ?? {},
    entry,
    cacheKey: options.cacheKey,
  };
  // The provider's package loads while the caller gets its first request ready.
  const { ProviderModel } = await import("./provider-model.ts");
  return new ProviderModel({
    facts: {
      name: `${provider.name}/${id}`,
      contextTokens: entry.contextTokens,
      maxOutputTokens: entry.maxOutputTokens,
      acceptsImages: entry.images,
      canReason: entry.reasoning !== false,
    },
    entry,
    service: {
      provider: provider.name,
      modelId: id,
      baseUrl,
      keyVariables: provider.keyVariables,
      apiKey: key?.value,
    },
    retry: { ...defaultRetryPolicy, ...options.retry },
    idleTimeoutMs: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
    open: () => openWire(provider, wire),
  });
}

async function openWire({ wire }: Provider, options: WireOptions): Promise<WireModel> {
  switch (wire) {
    case "anthropic":
      return (await import("./anthropic-wire.ts")).openAnthropic(options);
    case "openai":
      return (await import("./openai-wire.ts")).openOpenai(options);
    case "google":
      return (await import("./google-wire.ts")).openGoogle(options);
    case "compatible":
      return (await import("./compatible-wire.ts")).openCompatible(options);
  }
}

interface Resolved {
  readonly provider: Provider;
  readonly id: string;
  readonly endpoint: CustomEndpoint | undefined;
}

function resolveName(name: string, { endpoints = [] }: OpenModelOptions): Resolved {
  const slash = name.indexOf("/");
  const [providerName, id] = slash === -1 ? ["", name] : [name.slice(0, slash), name.slice(slash + 1)];
  // A custom endpoint may take a built-in provider's name: it was put into the settings for a reason.
  const endpoint = endpoints.find((each) => each.name === providerName);
  const provider = endpoint ? endpointProvider(endpoint) : findProvider(providerName);
  if (provider !== undefined && id !== "") return { provider, id, endpoint };
  if (provider !== undefined) throw unknown(`'${name}' names no model; write ${providerName}/<model>`);
  const known = [...providers.map((each) => each.name), ...endpoints.map((each) => each.name)];
  const named = providers.find((each) => catalogueEntry(each.name, id) !== undefined);
  if (slash === -1 && named) throw unknown(`'${name}' names no provider; write ${named.name}/${name}`);
  if (slash === -1)
    throw unknown(`'${name}' is not of the form provider/model; providers: ${known.join(", ")}`);
  throw unknown(`unknown provider '${providerName}' in '${name}'; providers: ${known.join(", ")}`);
}

function unknown(issue: string): ModelError {
  return new ModelError({ kind: "unknown-model", issue });
}

function missingKey({ name, keyVariables }: Provider): ModelError {
  return new ModelError({ kind: "auth", issue: `${name} needs a key; set ${keyVariables.join(" or ")}` });
}

/** No header could carry it. The key is not repeated. */
function garbledKey({ variable }: Key): ModelError {
  const issue = `${variable} holds a line break or another character that no key has; copy the key again`;
  return new ModelError({ kind: "auth", issue });
}

function entryOf(provider: Provider, id: string, endpoint: CustomEndpoint | undefined): CatalogueEntry {
  if (endpoint) return endpointEntry(endpoint, id);
  return catalogueEntry(provider.name, id) ?? unknownEntry(provider);
}

/** The model to use when none is named: that of the first provider that has a key. Undefined when nothing is configured. */
export function defaultModelName({
  env,
  endpoints = [],
}: Pick<OpenModelOptions, "env" | "endpoints">): string | undefined {
  for (const provider of providers) {
    const id = catalogueDefault(provider.name);
    if (id !== undefined && keyOf(provider, env) !== undefined) return `${provider.name}/${id}`;
  }
  for (const endpoint of endpoints) {
    const provider = endpointProvider(endpoint);
    const [first] = endpoint.models ?? [];
    const isReady = provider.keyVariables.length === 0 || keyOf(provider, env) !== undefined;
    if (first && isReady) return `${endpoint.name}/${first.id}`;
  }
  return undefined;
}

/** What to tell a user who has configured nothing. */
export function noModelError(settingsFile: string): ModelError {
  const variables = providers.flatMap(({ keyVariables: [first] }) => (first === undefined ? [] : [first]));
  const list = `${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}`;
  return new ModelError({
    kind: "no-model",
    issue: `no model is configured; set ${list}, name a local one (-m ollama/<model>), or put an endpoint into ${settingsFile}`,
  });
}
