/**
 * Model servers on this machine: which of them run, their models, and what they say about them. Asks only loopback, or the host that is
 * configured.
 */

import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { baseUrlOf, type Provider, providers, type Variables } from "./providers.ts";

export interface LocalModel {
  readonly id: string;
  /** What the server runs it with, if it says so. */
  readonly contextTokens?: number;
  readonly images?: boolean;
}

interface Server {
  /** A provider's name; something else for an endpoint of the user's own. */
  readonly name: string;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 400;

/** In the order of the providers; all are asked at the same time. */
export async function findLocalServers({
  env,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: {
  env: Variables;
  timeoutMs?: number;
}) {
  return await Promise.all(
    providers.filter(({ isLocal }) => isLocal).map((provider) => findServer(provider, env, timeoutMs)),
  );
}

async function findServer(provider: Provider, env: Variables, timeoutMs: number) {
  const { name } = provider;
  const baseUrl = baseUrlOf(provider, env);
  const models = await modelsAt({ name, baseUrl, timeoutMs });
  return { provider: name, baseUrl, isRunning: models !== undefined, models: models ?? [] };
}

/** What the server says about this model; undefined when it does not answer, or does not know it. */
export async function askAboutModel(server: Server, id: string): Promise<LocalModel | undefined> {
  const models = (await modelsAt(server)) ?? [];
  const named = models.find((model) => model.id === id || model.id === `${id}:latest`);
  // llama.cpp answers to any name.
  const model = named ?? (server.name === "llamacpp" && models.length === 1 ? models[0] : undefined);
  return model && server.name === "ollama" ? { ...(await ollamaFacts(server, id)), ...model } : model;
}

/** Undefined: nothing answers there, or a different program does. */
async function modelsAt(server: Server): Promise<LocalModel[] | undefined> {
  const { name } = server;
  const { data } = asRecord(await fetchJson(server, `${server.baseUrl}/models`));
  if (!Array.isArray(data)) return undefined;
  const records = data.map(asRecord).filter(({ id }) => typeof id === "string" && !/embed/i.test(id));
  const isLlamaCpp = records.every(({ owned_by }) => owned_by === "llamacpp");
  // Many programs use port 8080.
  if (name === "llamacpp" && !isLlamaCpp) return undefined;
  const more = await moreAbout(records.length > 0 && isLlamaCpp ? "llamacpp" : name, server);
  return records.map((record) => {
    const id = String(record["id"]);
    return { id, ...listedFacts(record), ...more(id) };
  });
}

type Facts = Omit<LocalModel, "id">;

/** In the list that all of them have: vLLM, llama.cpp and others add the size to it. */
function listedFacts(record: UnknownRecord): Facts {
  const meta = asRecord(record["meta"]);
  return facts(
    meta["n_ctx"] ??
      record["max_model_len"] ??
      record["context_length"] ??
      record["context_window"] ??
      meta["n_ctx_train"],
  );
}

/** What a server says only in its own way. */
async function moreAbout(name: string, server: Server): Promise<(id: string) => Facts> {
  const root = server.baseUrl.replace(/\/v\d+\w*$/, "");
  switch (name) {
    case "llamacpp": {
      const props = asRecord(await fetchJson(server, `${root}/props`));
      const { n_ctx } = asRecord(props["default_generation_settings"]);
      const reported = facts(n_ctx, asRecord(props["modalities"])["vision"]);
      return () => reported;
    }
    case "ollama": {
      const { models } = asRecord(await fetchJson(server, `${root}/api/ps`));
      const find = finder(models, "model");
      return (id) => facts(find(id)["context_length"]);
    }
    case "lmstudio": {
      const { data } = asRecord(await fetchJson(server, `${root}/api/v0/models`));
      const find = finder(data, "id");
      return (id) => {
        const { type, loaded_context_length, max_context_length } = find(id);
        return facts(loaded_context_length ?? max_context_length, type === undefined ? type : type === "vlm");
      };
    }
    default:
      return () => ({});
  }
}

/** For a model that Ollama has not loaded yet: only if its own parameters set the size. */
async function ollamaFacts(server: Server, model: string): Promise<Facts> {
  const root = server.baseUrl.replace(/\/v\d+\w*$/, "");
  const body = JSON.stringify({ model });
  const { parameters, capabilities } = asRecord(
    await fetchJson(server, `${root}/api/show`, { method: "POST", body }),
  );
  const size = /^num_ctx\s+(\d+)$/m.exec(String(parameters))?.[1];
  return facts(
    size === undefined ? undefined : Number(size),
    Array.isArray(capabilities) ? capabilities.includes("vision") : undefined,
  );
}

function facts(contextTokens: unknown, images?: unknown): Facts {
  return {
    ...(typeof contextTokens === "number" && contextTokens > 0 && { contextTokens }),
    ...(typeof images === "boolean" && { images }),
  };
}

function finder(list: unknown, key: string): (id: string) => UnknownRecord {
  const records = Array.isArray(list) ? list.map(asRecord) : [];
  return (id) => records.find((record) => record[key] === id || record[key] === `${id}:latest`) ?? {};
}

async function fetchJson(
  { headers, timeoutMs }: Server,
  url: string,
  init: { readonly method?: string; readonly body?: string } = {},
): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, headers: { ...headers }, signal, redirect: "manual" });
    return response.ok ? await response.json() : undefined;
  } catch (error) {
    // Not running, too slow, or not JSON: no difference here. Anything else is a bug.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
