/** What each of the four wire formats gives to the one model that runs on them all. */

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "../../protocol/model.ts";
import type { CatalogueEntry } from "../catalogue.ts";

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
  (input: string | URL | Request, init?: RequestInit) =>
    fetch(input, { ...init, timeout: false } as RequestInit),
  { preconnect: fetch.preconnect },
);
