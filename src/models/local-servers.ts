/** Model servers on this machine: which of them run, and what they have. Asks loopback (or the host that is set) only. */

import { asRecord } from "../protocol/record.ts";
import { baseUrlOf, type Provider, providers, type Variables } from "./providers.ts";

export interface LocalServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly isRunning: boolean;
  readonly models: readonly LocalModel[];
}

export interface LocalModel {
  readonly id: string;
  /** Where the server tells it. */
  readonly contextTokens?: number;
}

const defaultTimeoutMs = 400;

/** All of them, in the order of the providers; asked at the same time. */
export async function findLocalServers({
  env,
  timeoutMs = defaultTimeoutMs,
}: {
  env: Variables;
  timeoutMs?: number;
}): Promise<LocalServer[]> {
  return await Promise.all(
    providers.filter(({ isLocal }) => isLocal).map((provider) => ask(provider, env, timeoutMs)),
  );
}

async function ask(provider: Provider, env: Variables, timeoutMs: number): Promise<LocalServer> {
  const baseUrl = baseUrlOf(provider, env);
  const models = await modelsAt(provider, baseUrl, timeoutMs);
  return { provider: provider.name, baseUrl, isRunning: models !== undefined, models: models ?? [] };
}

/** Undefined: nobody answers there, or somebody else does. */
async function modelsAt(
  { name }: Provider,
  baseUrl: string,
  timeoutMs: number,
): Promise<LocalModel[] | undefined> {
  const list = await json(`${baseUrl}/models`, timeoutMs);
  const entries = asArray(asRecord(list)["data"]);
  if (entries === undefined) return undefined;
  const models = entries.map(asRecord).filter(({ id }) => typeof id === "string");
  // 8080 is everybody's port.
  if (name === "llamacpp" && !models.every(({ owned_by }) => owned_by === "llamacpp")) return undefined;
  return models.filter(({ id }) => !/embed/i.test(String(id))).map(localModel);
}

function localModel(record: Record<string, unknown>): LocalModel {
  const context = asRecord(record["meta"])["n_ctx"] ?? asRecord(record["meta"])["n_ctx_train"];
  const id = String(record["id"]);
  return typeof context === "number" ? { id, contextTokens: context } : { id };
}

async function json(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" });
    return response.ok ? await response.json() : undefined;
  } catch (error) {
    // Nobody there, too slow, or not JSON: all the same here. Anything else is a bug.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function asArray(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
