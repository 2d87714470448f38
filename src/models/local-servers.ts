/** Model servers on this machine: which of them run, and their models. Asks only loopback, or the host that is configured. */

import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { baseUrlOf, type Provider, providers, type Variables } from "./providers.ts";

export interface LocalServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly isRunning: boolean;
  readonly models: readonly LocalModel[];
}

export interface LocalModel {
  readonly id: string;
  /** If the server reports it. */
  readonly contextTokens?: number;
}

const DEFAULT_TIMEOUT_MS = 400;

/** In the order of the providers; all are asked at the same time. */
export async function findLocalServers({
  env,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: {
  env: Variables;
  timeoutMs?: number;
}): Promise<LocalServer[]> {
  return await Promise.all(
    providers.filter(({ isLocal }) => isLocal).map((provider) => findServer(provider, env, timeoutMs)),
  );
}

async function findServer(provider: Provider, env: Variables, timeoutMs: number): Promise<LocalServer> {
  const baseUrl = baseUrlOf(provider, env);
  const models = await listModels(provider, baseUrl, timeoutMs);
  return { provider: provider.name, baseUrl, isRunning: models !== undefined, models: models ?? [] };
}

/** Undefined: nothing answers there, or a different program does. */
async function listModels(
  { name }: Provider,
  baseUrl: string,
  timeoutMs: number,
): Promise<LocalModel[] | undefined> {
  const list = await fetchJson(`${baseUrl}/models`, timeoutMs);
  const entries = asRecord(list)["data"];
  if (!Array.isArray(entries)) return undefined;
  const models = entries.map(asRecord).filter(({ id }) => typeof id === "string");
  // Many programs use port 8080.
  if (name === "llamacpp" && !models.every(({ owned_by }) => owned_by === "llamacpp")) return undefined;
  return models.filter(({ id }) => !/embed/i.test(String(id))).map(toLocalModel);
}

function toLocalModel(record: UnknownRecord): LocalModel {
  const context = asRecord(record["meta"])["n_ctx"] ?? asRecord(record["meta"])["n_ctx_train"];
  const id = String(record["id"]);
  return typeof context === "number" ? { id, contextTokens: context } : { id };
}

async function fetchJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" });
    return response.ok ? await response.json() : undefined;
  } catch (error) {
    // Not running, too slow, or not JSON: no difference here. Anything else is a bug.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
