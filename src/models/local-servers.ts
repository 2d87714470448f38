/** Model servers on this machine: which of them run, and their models. Asks only loopback, or the host that is configured. */

import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { baseUrlOf, type Provider, providers, type Variables } from "./providers.ts";

interface LocalModel {
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
}) {
  return await Promise.all(
    providers.filter(({ isLocal }) => isLocal).map((provider) => findServer(provider, env, timeoutMs)),
  );
}

/** Not running: nothing answers there, or a different program does. */
async function findServer(provider: Provider, env: Variables, timeoutMs: number) {
  const baseUrl = baseUrlOf(provider, env);
  const server = { provider: provider.name, baseUrl };
  const { data } = asRecord(await fetchJson(`${baseUrl}/models`, timeoutMs));
  const models = Array.isArray(data) ? data.map(asRecord).filter(({ id }) => typeof id === "string") : [];
  // Many programs use port 8080.
  const isOther = provider.name === "llamacpp" && !models.every(({ owned_by }) => owned_by === "llamacpp");
  if (!Array.isArray(data) || isOther) return { ...server, isRunning: false, models: [] };
  const chat = models.filter(({ id }) => !/embed/i.test(String(id)));
  return { ...server, isRunning: true, models: chat.map(toLocalModel) };
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
