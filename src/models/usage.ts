/** Converts the token counts of the AI SDK to ours, with the cost. */

import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { Usage } from "../protocol/model.ts";
import type { Price } from "./catalogue.ts";

/** `inputTokens` excludes cached tokens: the prompt is the sum of all three counts. */
export function toUsage(
  { inputTokens, outputTokens, raw }: LanguageModelV3Usage,
  price: Price | undefined,
): Usage {
  const cacheReadTokens = inputTokens.cacheRead ?? 0;
  const cacheWriteTokens = inputTokens.cacheWrite ?? 0;
  const total = inputTokens.total ?? 0;
  const counts = {
    inputTokens: inputTokens.noCache ?? Math.max(0, total - cacheReadTokens - cacheWriteTokens),
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
  // OpenRouter reports what it charged.
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
  // Removes floating-point noise.
  return Math.round(dollars * 1e9) / 1e9;
}
