/** Tokens as the AI SDK counts them, as tokens and dollars. */

import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { Usage } from "../protocol/model.ts";
import type { Price } from "./catalogue.ts";

export type RawUsage = LanguageModelV3Usage;

/** `inputTokens` are those that no cache had: the prompt is they and the two cached counts together. */
export function usageFrom({ inputTokens, outputTokens, raw }: RawUsage, price: Price | undefined): Usage {
  const cacheReadTokens = inputTokens.cacheRead ?? 0;
  const cacheWriteTokens = inputTokens.cacheWrite ?? 0;
  const total = inputTokens.total ?? 0;
  const counts = {
    inputTokens: inputTokens.noCache ?? Math.max(0, total - cacheReadTokens - cacheWriteTokens),
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
  // OpenRouter tells what it charged.
  const charged = raw?.["cost"];
  const costUsd = typeof charged === "number" ? charged : price && costOf(counts, price);
  return costUsd === undefined ? counts : { ...counts, costUsd };
}

export function costOf(usage: Usage, price: Price): number {
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const long = price.above !== undefined && promptTokens > price.above.promptTokens ? price.above : undefined;
  const inputFactor = long?.inputFactor ?? 1;
  const dollars =
    (usage.inputTokens * price.input * inputFactor +
      usage.cacheReadTokens * (price.cacheRead ?? price.input) * inputFactor +
      usage.cacheWriteTokens * (price.cacheWrite ?? price.input) * inputFactor +
      usage.outputTokens * price.output * (long?.outputFactor ?? 1)) /
    1_000_000;
  // Sums of such fractions have a tail that means nothing.
  return Math.round(dollars * 1e9) / 1e9;
}
