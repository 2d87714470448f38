/** Tokens and money, added up. */

import { noUsage, type Usage } from "./model.ts";

/** The cost is known as long as every part's is. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const isFirst = sum === noUsage;
  const cost = isFirst
    ? more.costUsd
    : sum.costUsd === undefined || more.costUsd === undefined
      ? undefined
      : sum.costUsd + more.costUsd;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + more.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + more.cacheWriteTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}
