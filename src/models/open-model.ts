/** Opens a model by name, and loads only what that model needs. */

import type { Model } from "../protocol/model.ts";
import { catalogueDefault, catalogueEntry, unknownEntry } from "./catalogue.ts";
import { type CustomEndpoint, endpointEntry, endpointProvider } from "./custom-endpoint.ts";
import { ModelError } from "./errors.ts";
import { askAboutModel, type LocalModel } from "./local-servers.ts";
import {
  baseUrlOf,
  completeUrl,
  findProvider,
  isLoopback,
  type Key,
  keyOf,
  type Provider,
  providers,
  type Variables,
} from "./providers.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";

export interface OpenModelOptions {
  readonly env: Variables;
  /** Base of a relative path in `script:<file>`. */
  readonly cwd: string;
  readonly endpoints?: readonly CustomEndpoint[];
  readonly retry?: Partial<RetryPolicy>;
  readonly idleTimeoutMs?: number;
  /** The session's id, or anything else that is the same for all its requests. */
  readonly cacheKey?: string;
  /** Delay between the words of the demo, so that people can watch. */
  readonly demoPaceMs?: number;
}

/** A local server may process a long prompt for minutes before it answers. */
const DEFAULT_IDLE_TIMEOUT_MS = 10 * 60_000;
/** A server on this machine that may be busy; one that does not run refuses at once. */
const ASK_TIMEOUT_MS = 2_000;

/** Throws ModelError: an invalid name, an unknown provider, a key that is not set, a script that cannot be read. */
export async function openModel(name: string, options: OpenModelOptions): Promise<Model> {
  if (name === "demo") return (await import("./demo.ts")).openDemo({ paceMs: options.demoPaceMs ?? 0 });
  if (name.startsWith("script:")) {
    const { openScript } = await import("./script.ts");
    return openScript(name.slice("script:".length), { cwd: options.cwd, retry: options.retry });
  }
  const { provider, id, endpoint } = resolveName(name, options);
  const key = keyOf(provider, options.env);
  if (key === undefined && provider.keyVariables.length > 0) throw missingKeyError(provider);
  if (key !== undefined && !/^[\x20-\x7e]+$/.test(key.value)) throw invalidKeyError(key);
  const baseUrl = endpoint
    ? completeUrl(endpoint.baseUrl, provider, `${provider.name}'s address`)
    : baseUrlOf(provider, options.env);
  const headers = endpoint?.headers ?? {};
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key.value}` };
  const server = {
    name: provider.name,
    baseUrl,
    headers: { ...authorization, ...headers },
    timeoutMs: ASK_TIMEOUT_MS,
  };
  const known = endpoint?.models?.find((model) => model.id === id);
  const ask =
    provider.isLocal || (endpoint && isLoopback(baseUrl) && known?.contextTokens === undefined)
      ? async () => await factsOf(askAboutModel(server, id))
      : undefined;
  // The provider's package loads meanwhile.
  const loading = import("./provider-model.ts");
  const reported = await ask?.();
  const { ProviderModel } = await loading;
  return new ProviderModel({
    wire: provider.wire,
    service: {
      provider: provider.name,
      modelId: id,
      baseUrl,
      keyVariables: provider.keyVariables,
      apiKey: key?.value,
      keyVariable: key?.variable,
      headers,
      parameters: { ...endpoint?.parameters, ...known?.parameters },
      maxOutputTokens: known?.maxOutputTokens,
      entry: endpoint
        ? endpointEntry(endpoint, id, reported)
        : { ...(catalogueEntry(provider.name, id) ?? unknownEntry(provider)), ...reported },
      cacheKey: options.cacheKey,
    },
    askAgain: reported?.contextTokens === undefined ? ask : undefined,
    retry: { ...defaultRetryPolicy, ...options.retry },
    idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
  });
}

async function factsOf(asking: Promise<LocalModel | undefined>): Promise<Omit<LocalModel, "id">> {
  const { id: _, ...facts } = (await asking) ?? { id: "" };
  return facts;
}

function resolveName(name: string, { endpoints = [] }: OpenModelOptions) {
  const slash = name.indexOf("/");
  const [providerName, id] = slash === -1 ? ["", name] : [name.slice(0, slash), name.slice(slash + 1)];
  // A custom endpoint may use a built-in provider's name, and overrides it.
  const endpoint = endpoints.find((each) => each.name === providerName);
  const provider = endpoint ? endpointProvider(endpoint) : findProvider(providerName);
  if (provider !== undefined && id !== "") return { provider, id, endpoint };
  if (provider !== undefined)
    throw unknownModelError(`'${name}' is not a model; write ${providerName}/<model>`);
  const known = [...providers.map((each) => each.name), ...endpoints.map((each) => each.name)];
  const named = providers.find((each) => catalogueEntry(each.name, id) !== undefined);
  if (slash === -1 && named)
    throw unknownModelError(`'${name}' has no provider; write ${named.name}/${name}`);
  if (slash === -1)
    throw unknownModelError(`'${name}' is not in the form provider/model; providers: ${known.join(", ")}`);
  throw unknownModelError(`unknown provider '${providerName}' in '${name}'; providers: ${known.join(", ")}`);
}

function unknownModelError(issue: string): ModelError {
  return new ModelError({ kind: "unknown-model", issue });
}

function missingKeyError({ name, keyVariables }: Provider): ModelError {
  return new ModelError({ kind: "auth", issue: `${name} needs a key; set ${keyVariables.join(" or ")}` });
}

/** Such a key cannot be sent in a header. It is not repeated here. */
function invalidKeyError({ variable }: Key): ModelError {
  const issue = `${variable} contains a line break or another character that is not allowed in a key; copy the key again`;
  return new ModelError({ kind: "auth", issue });
}

/** The model to use when none is named: that of the first provider with a key. Undefined when nothing is configured. */
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

export function noModelError(settingsFile: string): ModelError {
  const variables = providers.flatMap(({ keyVariables: [first] }) => (first === undefined ? [] : [first]));
  const list = `${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}`;
  return new ModelError({
    kind: "no-model",
    issue: `no model is configured; set ${list}, choose a local one (-m ollama/<model>), or add an endpoint to ${settingsFile}`,
  });
}
