/** How hard a model should think, as each wire format says it. Without a choice of the user's, the provider's own default holds. */

import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../protocol/model.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import type { Wire } from "./providers.ts";

interface Thinker {
  readonly provider: string;
  readonly modelId: string;
  readonly entry: Pick<CatalogueEntry, "reasoning">;
}

/** For models that take a number of tokens instead of a word. */
const budgets: Readonly<Record<Effort, number>> = { low: 4_000, medium: 12_000, high: 24_000 };

/** Servers of the common format ignore what they do not know, and few tell what they can: there the user's word is sent. */
export function takesEffort(wire: Wire, { reasoning }: Pick<CatalogueEntry, "reasoning">): boolean {
  return wire === "compatible" || reasoning !== false;
}

/** What the request says about reasoning; undefined for nothing. */
export function reasoningOptions(
  wire: Wire,
  thinker: Thinker,
  effort: Effort | undefined,
): SharedV3ProviderOptions | undefined {
  const { provider, modelId, entry } = thinker;
  if (wire === "compatible") {
    if (effort === undefined) return undefined;
    return provider === "openrouter"
      ? { openrouter: { reasoning: { effort } } }
      : { openaiCompatible: { reasoningEffort: effort } };
  }
  if (entry.reasoning === false) return undefined;
  switch (wire) {
    case "anthropic":
      // Newer models reason on their own, but show it only on request.
      if (entry.reasoning === "adaptive")
        return {
          anthropic: { thinking: { type: "adaptive", display: "summarized" }, ...(effort && { effort }) },
        };
      return effort && { anthropic: { thinking: { type: "enabled", budgetTokens: budgets[effort] } } };
    case "openai":
      return { openai: { reasoningSummary: "auto", ...(effort && { reasoningEffort: effort }) } };
    case "google":
      return {
        google: { thinkingConfig: { includeThoughts: true, ...(effort && geminiEffort(modelId, effort)) } },
      };
  }
}

function geminiEffort(modelId: string, effort: Effort) {
  return modelId.startsWith("gemini-2") ? { thinkingBudget: budgets[effort] } : { thinkingLevel: effort };
}
