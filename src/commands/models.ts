/** `omp models`: which providers are ready, what they have, what it costs, and which model is used when none is named. */

import type { CommandIo } from "../app/io.ts";
import { ConfigError } from "../config/errors.ts";
import { loadSettingsFor } from "../config/settings.ts";
import { formatTokens } from "../format/numbers.ts";
import type { CatalogueEntry, Price } from "../models/catalogue.ts";
import { catalogueModels, unknownEntry } from "../models/catalogue.ts";
import { type CustomEndpoint, endpointEntry, endpointProvider } from "../models/custom-endpoint.ts";
import { ModelError } from "../models/errors.ts";
import { findLocalServers } from "../models/local-servers.ts";
import { defaultModelName } from "../models/open-model.ts";
import {
  baseUrlOf,
  completeUrl,
  keyOf,
  type Provider,
  providers,
  type Variables,
} from "../models/providers.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface ModelsOptions {
  readonly json?: boolean | undefined;
  /** Those of the settings. */
  readonly endpoints?: readonly CustomEndpoint[] | undefined;
  /** The one that the settings name. */
  readonly model?: string | undefined;
}

export interface ListedModel {
  readonly name: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly images: boolean;
  readonly reasoning: boolean;
  /** Dollars per million tokens; null where it is not known, or there is nothing to pay. */
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

/** With the settings of the place. The exit code: 0, or 2 when they or a variable's address are bad. */
export async function runModelsHere(
  options: Pick<ModelsOptions, "json">,
  io: CommandIo,
  place: Invocation,
): Promise<number> {
  try {
    const { endpoints, model } = await loadSettingsFor(place);
    return await runModels({ ...options, endpoints, model }, io, place);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr(`${error.message}\n`);
    return 2;
  }
}

/** The exit code: 0, or 2 when a variable holds no address. */
export async function runModels(options: ModelsOptions, io: CommandIo, { env }: Invocation): Promise<number> {
  try {
    const listed = await listProviders(env, options.endpoints ?? []);
    const defaultName = options.model ?? defaultModelName({ env, endpoints: options.endpoints ?? [] });
    io.stdout(
      options.json
        ? `${JSON.stringify({ default: defaultName ?? null, providers: listed }, undefined, 2)}\n`
        : textReport(listed, defaultName),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    io.stderr(`${error.message}\n`);
    return 2;
  }
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
        listedModel(provider.name, id, entry),
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
      models: models.map(({ id, contextTokens }) => {
        const entry = unknownEntry({ isLocal: true });
        return listedModel(provider, id, { ...entry, ...(contextTokens !== undefined && { contextTokens }) });
      }),
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
      models: models.map(({ id }) => listedModel(name, id, endpointEntry(endpoint, id))),
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

function listedModel(provider: string, id: string, entry: CatalogueEntry): ListedModel {
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

function textReport(listed: readonly ListedProvider[], defaultName: string | undefined): string {
  const rows = listed.flatMap(({ models }) => models.map((model) => row(model)));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const sections = listed.map(({ name, note, models }) => {
    const lines = models.map((model) => {
      const mark = model.name === defaultName ? "*" : " ";
      const cells = row(model).map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${mark} ${cells.join("  ")}`.trimEnd();
    });
    return [`${name}: ${note}`, ...lines].join("\n");
  });
  const last =
    defaultName === undefined
      ? "No model is configured: set a provider's key, or name a model with -m. Without one there is the demo: -m demo"
      : `* used when none is named: ${defaultName}\nPrices are dollars per million tokens, in / out. Others may be named all the same.`;
  return `${sections.join("\n\n")}\n\n${last}\n`;
}

function row({ name, contextTokens, images, reasoning, price }: ListedModel): string[] {
  const abilities = [...(images ? ["images"] : []), ...(reasoning ? ["reasoning"] : [])].join(", ");
  return [
    name,
    `${formatTokens(contextTokens)} context`,
    price ? `$${price.input} / $${price.output}` : "",
    abilities,
  ];
}
