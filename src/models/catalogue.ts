/** Facts about models by name: sizes, abilities, prices. They are in catalogue.json; an unknown id gets a guess. */

import catalogue from "./catalogue.json" with { type: "json" };

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** A prompt above this length makes the whole request more expensive. */
  readonly above?: {
    readonly promptTokens: number;
    readonly inputFactor: number;
    readonly outputFactor: number;
  };
}

export interface CatalogueEntry {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly images: boolean;
  /** `adaptive`: the model decides how long it thinks, and shows a summary on request. */
  readonly reasoning: boolean | "adaptive";
  /** Undefined: unknown or free. */
  readonly price?: Price;
}

interface ProviderEntries {
  readonly default: string;
  readonly models: Readonly<Record<string, CatalogueEntry>>;
}

const entries: Readonly<Record<string, ProviderEntries>> = catalogue as Record<string, ProviderEntries>;

/** Careful guesses: too small a context costs a compaction, too large a one costs the turn. So does a picture that is refused. */
const unknownRemote: CatalogueEntry = {
  contextTokens: 128_000,
  maxOutputTokens: 16_384,
  images: false,
  reasoning: false,
};
const unknownLocal: CatalogueEntry = {
  contextTokens: 32_768,
  maxOutputTokens: 8_192,
  images: false,
  reasoning: false,
};

export function catalogueEntry(provider: string, id: string): CatalogueEntry | undefined {
  const models = entries[provider]?.models;
  return models?.[id] ?? models?.[withoutDate(id)];
}

export function unknownEntry({ isLocal }: { isLocal: boolean }): CatalogueEntry {
  return isLocal ? unknownLocal : unknownRemote;
}

export function catalogueModels(provider: string): readonly { id: string; entry: CatalogueEntry }[] {
  return Object.entries(entries[provider]?.models ?? {}).map(([id, entry]) => ({ id, entry }));
}

/** The id of the provider's default model. */
export function catalogueDefault(provider: string): string | undefined {
  return entries[provider]?.default;
}

/** `claude-haiku-4-5-20251001`, `gpt-5-2025-08-07` and `…-latest` have the facts of the plain id. */
function withoutDate(id: string): string {
  return id.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, "");
}
