/** What each of the four wire formats gives to the one model that runs on them all. */

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "../protocol/model.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { errorIn } from "./failure.ts";

export interface WireOptions {
  /** As the user names it. */
  readonly provider: string;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The variable that the key comes from: some name a different kind of key. */
  readonly keyVariable: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly entry: CatalogueEntry;
  /** Same for all requests of a session: lets a provider find the cached prompt again. */
  readonly cacheKey: string | undefined;
}

export type Call = Omit<LanguageModelV3CallOptions, "abortSignal">;

export interface WireModel {
  readonly language: LanguageModelV3;
  readonly call: (request: ModelRequest) => Call;
}

/** Bun gives up on a silent connection after five minutes; how long to wait is decided above. */
export const patientFetch = Object.assign(
  async (input: string | URL | Request, init?: RequestInit) =>
    await stream(await fetch(input, { ...init, timeout: false } as RequestInit)),
  { preconnect: fetch.preconnect },
);

/** To the SDK an answer that is no stream is an empty one: what it says would be lost, and asked for again and again. */
async function stream(response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || !/\b(?:html|json)\b/i.test(type)) return response;
  // Some servers give their streams the wrong type.
  const beginning = (await firstOf(response.clone().body)).trimStart();
  if (beginning.startsWith("<"))
    return new Response(null, { status: 404, statusText: "what answers there is a web page" });
  if (!/^[[{]/.test(beginning)) return response;
  throw errorIn(await response.text());
}

async function firstOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  // What was read is enough, also of an answer that has broken off since.
  reader?.cancel().catch(() => undefined);
  return new TextDecoder().decode(value);
}
